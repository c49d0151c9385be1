/** Compiles the rules of a CRUSH map text (`CrushCompiler::parse_rule`). */
import { makeShadowTrees } from '../crush/edit/classes.ts';
import { checkEditable } from '../crush/edit/lookup.ts';
import { MAX_BUCKETS, MAX_RULES } from '../crush/limits.ts';
import { RULE_OP, type CrushRuleStep } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { intOf } from './crush-text-numbers.ts';
import type { CompileState } from './crush-text-state.ts';
import type { RuleNode, StepNode, Word } from './crush-text-syntax.ts';
import {
  CHOOSE_STEPS,
  MSR_CHOOSE_STEPS,
  MSR_RULE_TYPES,
  MSR_SET_STEPS,
  RULE_TYPES,
  SET_STEPS,
  meaningOf,
} from './crush-text-words.ts';

/** Rules of a map that takes no more (`CRUSH_MAX_RULES`). */
const FULL_RULES = 256;

/** Adds a rule. */
export function compileRule(state: CompileState, node: RuleNode): void {
  if (!state.hasRule) addShadowTrees(state, node);
  state.hasRule = true;
  const name = node.name?.text ?? '';
  if (name !== '' && state.ruleNames.has(name)) {
    return state.refuse(
      node.name ?? node.id,
      `there is a rule '${name}' already; give each its own name`,
      `rule name '${name}' already defined\n\n`,
    );
  }
  if (!state.grammar.needsSizes) warnOfSizes(state, node);
  const id = freeRuleId(state, node.id, name);
  const { rules } = state.draft;
  if (name !== '') {
    state.draft.setRuleName(id, name);
    state.ruleNames.add(name);
  }
  while (rules.length <= id) rules.push(undefined);
  const sizeOf = (word: Word | undefined, otherwise: number): number =>
    state.grammar.needsSizes && word !== undefined ? intOf(word.text) & 0xff : otherwise;
  rules[id] = {
    id,
    type: meaningOf([...RULE_TYPES, ...MSR_RULE_TYPES], node.type.text) ?? 0,
    ruleset: id & 0xff,
    minSize: sizeOf(node.minSize, 1),
    maxSize: sizeOf(node.maxSize, 100),
    steps: node.steps.map((step) => readStep(state, name, step)),
  };
}

/** Says of sizes that they are of no use any more. */
function warnOfSizes(state: CompileState, { minSize, maxSize }: RuleNode): void {
  const warn = (word: string): void => {
    state.listener.say(`WARNING: ${word} is no longer supported, ignoring\n`);
  };
  if (minSize !== undefined) warn('min_size');
  if (maxSize !== undefined) warn('max_size');
}

/** The id of a rule, refused where the map has no room for it. */
function freeRuleId(state: CompileState, word: Word, name: string): number {
  const id = intOf(word.text);
  const { rules } = state.draft;
  if (rules[id] !== undefined) {
    state.refuse(word, `there is a rule ${id} already; give each its own id`, `rule ${id} already exists\n`);
  }
  if (id < 0 || (id >= rules.length && rules.length >= FULL_RULES)) {
    state.refuse(
      word,
      `there is no room for rule ${word.text}; use an id below ${FULL_RULES}`,
      `unable to add rule id ${id} for rule '${name}'\n`,
    );
  }
  if (id >= MAX_RULES) state.refuse(word, `rule id ${id} is above the limit of ${MAX_RULES - 1}`);
  return id;
}

/** Before the first rule, for rules to take; where Ceph fails to make a tree, it goes on without. */
function addShadowTrees(state: CompileState, node: RuleNode): void {
  const shadows = state.classIds.size * state.bucketWeights.size;
  if (shadows === 0) return;
  if (shadows > MAX_BUCKETS) {
    state.refuse(
      node.name ?? node.id,
      `${state.classIds.size} device classes of ${state.bucketWeights.size} buckets would take ${shadows} shadow ` +
        `buckets, at most ${MAX_BUCKETS} are supported`,
    );
  }
  state.build(node.name ?? node.id, () => {
    checkEditable(state.draft);
    try {
      makeShadowTrees(state.draft, state.shadowIds);
    } catch (error) {
      const isCephs = error instanceof CrushError && error.errno !== undefined && error.errno !== 'ENOMEM';
      if (!isCephs) throw error;
    }
  });
}

function readStep(state: CompileState, rule: string, step: StepNode): CrushRuleStep {
  switch (step.kind) {
    case 'emit':
      return { op: RULE_OP.emit, arg1: 0, arg2: 0 };
    case 'take':
      return { op: RULE_OP.take, arg1: takenItem(state, rule, step.item, step.className), arg2: 0 };
    case 'set': {
      const op = meaningOf([...SET_STEPS, ...MSR_SET_STEPS], step.name) ?? RULE_OP.noop;
      return { op, arg1: intOf(step.value.text), arg2: 0 };
    }
    case 'choose': {
      const op = meaningOf([...CHOOSE_STEPS, ...MSR_CHOOSE_STEPS], step.name) ?? RULE_OP.noop;
      const type = state.typeIds.get(step.type.text);
      if (type === undefined) {
        return state.refuse(
          step.type,
          `there is no bucket type '${step.type.text}'; use one of ${[...state.typeIds.keys()].join(', ')}`,
          `in rule '${rule}' type '${step.type.text}' not defined\n`,
        );
      }
      return { op, arg1: intOf(step.count.text), arg2: type };
    }
  }
}

function takenItem(state: CompileState, rule: string, item: Word, className: Word | undefined): number {
  const id = state.itemIds.get(item.text);
  if (id === undefined) {
    return state.refuse(
      item,
      `there is no device or bucket '${item.text}' for rule '${rule}' to take`,
      `in rule '${rule}' item '${item.text}' not defined\n`,
    );
  }
  if (className === undefined) {
    if (state.isVerbose) state.listener.say(`rule ${rule} take ${item.text}\n`);
    return id;
  }
  const classId = state.classIds.get(className.text);
  if (classId === undefined) {
    return state.refuse(
      className,
      `no device has the class '${className.text}'; give it to a device, or take '${item.text}' without class`,
    );
  }
  const shadows = state.draft.classBuckets.get(id);
  if (shadows === undefined) {
    return state.refuse(
      item,
      `'${item.text}' has no shadow trees, so rule '${rule}' cannot take a class of it`,
      `in rule '${rule}' step take ${item.text} has no class information\n`,
    );
  }
  const shadow = shadows.get(classId);
  if (shadow === undefined) {
    return state.refuse(
      className,
      `'${item.text}' has no shadow tree for class '${className.text}'`,
      `in rule '${rule}' step take ${item.text} no matching bucket for class ${className.text}\n`,
    );
  }
  if (state.isVerbose)
    state.listener.say(
      `rule ${rule} take ${item.text} remapped to ${state.draft.itemNames.get(shadow) ?? ''}\n`,
    );
  return shadow;
}
