/** Rules as their blocks: a take, the choices below it, an emit. */
import { RULE_OP, RULE_TYPE, type CrushRule, type CrushTunables } from '../model.ts';

/** A choice of a block. */
export interface RuleChoice {
  readonly step: number;
  /** As the step has it: 0 is for as many as are wanted, a negative number for so many fewer. */
  readonly count: number;
  readonly type: number;
  /** Whether the choice goes on to a device below each item. */
  readonly toLeaf: boolean;
  /** Whether items keep their positions, with holes where there is none. */
  readonly isIndep: boolean;
  /** Draws for an item before it is given up, as the steps before set it. */
  readonly tries: number;
  /** Draws for a device below each item. */
  readonly leafTries: number;
}

/** A take with what is chosen below it. */
export interface RuleBlock {
  readonly take: number;
  /** Step of the take. */
  readonly step: number;
  readonly choices: readonly RuleChoice[];
}

/** Whether a step draws items of the type that it names second. */
export function isChoose(op: number): boolean {
  return CHOICES.has(op);
}

/** Whether a rule is of one of the MSR types. */
export function isMsr(rule: CrushRule): boolean {
  return rule.type === RULE_TYPE.msrFirstn || rule.type === RULE_TYPE.msrIndep;
}

/** The blocks of a rule that are emitted, in order; what its other steps come to is for the check of steps. */
export function ruleBlocks(rule: CrushRule, tunables: CrushTunables): RuleBlock[] {
  const blocks: RuleBlock[] = [];
  const descendsOnce = tunables.chooseleafDescendOnce !== 0;
  let tries = tunables.chooseTotalTries + 1;
  let leafTries = 0;
  let open: { take: number; step: number; choices: RuleChoice[] } | undefined;
  for (const [step, { op, arg1, arg2 }] of rule.steps.entries()) {
    if (op === RULE_OP.take) open = { take: arg1, step, choices: [] };
    else if (op === RULE_OP.setChooseTries && arg1 > 0) tries = arg1;
    else if (op === RULE_OP.setChooseleafTries && arg1 > 0) leafTries = arg1;
    else if (op === RULE_OP.emit) {
      if (open !== undefined) blocks.push(open);
      open = undefined;
    } else if (isChoose(op) && (op === RULE_OP.chooseMsr) === isMsr(rule)) {
      const isIndep = op === RULE_OP.chooseIndep || op === RULE_OP.chooseleafIndep;
      open?.choices.push({
        step,
        count: arg1,
        type: arg2,
        toLeaf: op === RULE_OP.chooseleafFirstn || op === RULE_OP.chooseleafIndep,
        isIndep,
        tries,
        leafTries: leafTries > 0 ? leafTries : isIndep || descendsOnce ? 1 : tries,
      });
    }
  }
  return blocks;
}

/** How many items a choice is for, in mappings to `size` items. */
export function choiceCount({ count }: RuleChoice, size: number): number {
  return Math.max(0, count > 0 ? count : size + count);
}

const CHOICES = new Set<number>([
  RULE_OP.chooseFirstn,
  RULE_OP.chooseIndep,
  RULE_OP.chooseleafFirstn,
  RULE_OP.chooseleafIndep,
  RULE_OP.chooseMsr,
]);
