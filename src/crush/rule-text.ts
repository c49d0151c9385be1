/** Rules in words. */
import { RULE_OP, RULE_TYPE, type CrushMap, type CrushRule, type CrushRuleStep } from './model.ts';
import { itemName, typeName } from './names.ts';

const RULE_TYPE_NAMES: Readonly<Record<number, string>> = {
  [RULE_TYPE.replicated]: 'replicated',
  [RULE_TYPE.erasure]: 'erasure',
  [RULE_TYPE.msrFirstn]: 'msr_firstn',
  [RULE_TYPE.msrIndep]: 'msr_indep',
};

/** Type of a rule, as the text form of CRUSH maps has it. */
export function ruleTypeName(rule: CrushRule): string {
  return RULE_TYPE_NAMES[rule.type] ?? String(rule.type);
}

const CHOOSE_WORDS: Readonly<Record<number, string>> = {
  [RULE_OP.chooseFirstn]: 'choose firstn',
  [RULE_OP.chooseIndep]: 'choose indep',
  [RULE_OP.chooseleafFirstn]: 'chooseleaf firstn',
  [RULE_OP.chooseleafIndep]: 'chooseleaf indep',
  [RULE_OP.chooseMsr]: 'choosemsr',
};

const SET_WORDS: Readonly<Record<number, string>> = {
  [RULE_OP.setChooseTries]: 'set_choose_tries',
  [RULE_OP.setChooseleafTries]: 'set_chooseleaf_tries',
  [RULE_OP.setChooseLocalTries]: 'set_choose_local_tries',
  [RULE_OP.setChooseLocalFallbackTries]: 'set_choose_local_fallback_tries',
  [RULE_OP.setChooseleafVaryR]: 'set_chooseleaf_vary_r',
  [RULE_OP.setChooseleafStable]: 'set_chooseleaf_stable',
  [RULE_OP.setMsrDescents]: 'set_msr_descents',
  [RULE_OP.setMsrCollisionTries]: 'set_msr_collision_tries',
};

/**
 * A step as the text form of CRUSH maps has it.
 *
 * @example
 * ```ts
 * map.rules[0]?.steps.map((step) => ruleStepText(map, step));
 * // ['take default class hdd', 'chooseleaf firstn 0 type host', 'emit']
 * ```
 */
export function ruleStepText(map: CrushMap, { op, arg1, arg2 }: CrushRuleStep): string {
  if (op === RULE_OP.noop) return 'noop';
  if (op === RULE_OP.emit) return 'emit';
  if (op === RULE_OP.take) {
    const [name, className] = (itemName(map, arg1) ?? String(arg1)).split('~');
    return className === undefined ? `take ${name}` : `take ${name} class ${className}`;
  }
  const choose = CHOOSE_WORDS[op];
  if (choose !== undefined) return `${choose} ${arg1} type ${typeName(map, arg2) ?? arg2}`;
  const set = SET_WORDS[op];
  return set === undefined ? `unknown step ${op} ${arg1} ${arg2}` : `${set} ${arg1}`;
}
