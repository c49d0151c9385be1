/**
 * Runs the steps of a classic rule and tells what each does. Follows `crush_do_rule` (Ceph's src/crush/mapper.c),
 * `crush_do_rule_no_retry` in newer sources.
 */
import { RULE_OP } from '../../crush/model.ts';
import type { CrushMap, CrushRule, CrushRuleStep } from '../../crush/model.ts';
import { findBucket } from '../../crush/names.ts';
import { ruleStepText } from '../../crush/rule-text.ts';
import { chooseFirstn } from './choose-firstn.ts';
import { chooseIndep } from './choose-indep.ts';
import type { Chosen } from './descent.ts';
import type { ChoiceTrace, ChooseTrace, StepTrace, TakeTrace, TraceItem } from './trace.ts';
import type { Walk } from './walk.ts';

/** What a rule gives, and how. */
export interface RuleRun {
  readonly steps: readonly StepTrace[];
  readonly result: readonly number[];
}

/** The tunables as the steps of a rule have set them so far; all signed 32-bit, as Ceph keeps them. */
interface Knobs {
  tries: number;
  /** 0 while no step has set it. */
  leafTries: number;
  localTries: number;
  fallbackTries: number;
  varyR: number;
  stable: number;
}

/** Maps the walk's input by a rule that is not an MSR rule. */
export function runRule(walk: Walk, rule: CrushRule, size: number): RuleRun {
  const { map } = walk;
  const { tunables } = map;
  const knobs: Knobs = {
    // The tunable counts retries.
    tries: (tunables.chooseTotalTries + 1) | 0,
    leafTries: 0,
    localTries: tunables.chooseLocalTries | 0,
    fallbackTries: tunables.chooseLocalFallbackTries | 0,
    varyR: tunables.chooseleafVaryR,
    stable: tunables.chooseleafStable,
  };
  const steps: StepTrace[] = [];
  const result: number[] = [];
  let working: readonly number[] = [];
  for (const [number, step] of rule.steps.entries()) {
    const head = { step: number, text: ruleStepText(map, step) };
    switch (step.op) {
      case RULE_OP.take: {
        const taken = takeTrace(walk, step, head);
        if (taken.item !== undefined) working = [taken.item.id];
        steps.push(taken);
        break;
      }
      case RULE_OP.chooseFirstn:
      case RULE_OP.chooseleafFirstn:
      case RULE_OP.chooseIndep:
      case RULE_OP.chooseleafIndep: {
        const chosen = new ChooseStep(walk, step, knobs, size).run(working, head);
        steps.push(chosen);
        if (working.length > 0) working = chosen.result;
        break;
      }
      case RULE_OP.emit: {
        const items = working.slice(0, size - result.length);
        result.push(...items);
        steps.push({ kind: 'emit', ...head, items, dropped: working.length - items.length });
        working = [];
        break;
      }
      case RULE_OP.noop:
        steps.push({ kind: 'noop', ...head });
        break;
      default:
        steps.push({ kind: 'set', ...head, applied: setKnob(knobs, step) });
    }
  }
  return { steps, result };
}

/** A take step, of a classic rule or at the head of an MSR block. */
export function takeTrace(
  walk: Walk,
  { arg1 }: CrushRuleStep,
  head: { readonly step: number; readonly text: string },
): TakeTrace {
  if (!canTake(walk.map, arg1)) return { kind: 'take', ...head };
  const shadow = walk.names.shadowOf(arg1);
  return { kind: 'take', ...head, item: walk.item(arg1), ...(shadow === undefined ? {} : { shadow }) };
}

function canTake(map: CrushMap, item: number): boolean {
  return item >= 0 ? item < map.maxDevices : findBucket(map, item) !== undefined;
}

/** One choose step over the items of the step before. */
class ChooseStep {
  readonly #walk: Walk;
  readonly #step: CrushRuleStep;
  readonly #knobs: Readonly<Knobs>;
  readonly #size: number;
  readonly #toLeaf: boolean;
  readonly #firstn: boolean;

  constructor(walk: Walk, step: CrushRuleStep, knobs: Readonly<Knobs>, size: number) {
    this.#walk = walk;
    this.#step = step;
    this.#knobs = knobs;
    this.#size = size;
    this.#toLeaf = step.op === RULE_OP.chooseleafFirstn || step.op === RULE_OP.chooseleafIndep;
    this.#firstn = step.op === RULE_OP.chooseFirstn || step.op === RULE_OP.chooseleafFirstn;
  }

  run(working: readonly number[], head: { readonly step: number; readonly text: string }): ChooseTrace {
    const { arg1, arg2 } = this.#step;
    const walk = this.#walk;
    const knobs = this.#knobs;
    // Counts of 0 and below are meant relative to the size asked for.
    const wanted = arg1 > 0 ? arg1 : arg1 + this.#size;
    const choices: ChoiceTrace[] = [];
    const passedOver: TraceItem[] = [];
    const result: number[] = [];
    for (const item of wanted > 0 ? working : []) {
      // A device, or the hole an indep step left, has nothing below it.
      if (item >= 0) {
        passedOver.push(walk.item(item));
        continue;
      }
      const chosen = this.#choose(item, wanted, this.#size - result.length);
      choices.push(chosen.trace);
      result.push(...(this.#toLeaf ? chosen.leaves : chosen.items));
    }
    return {
      kind: 'choose',
      ...head,
      mode: this.#firstn ? 'firstn' : 'indep',
      toLeaf: this.#toLeaf,
      type: walk.typeName(arg2),
      wanted,
      tries: knobs.tries >>> 0,
      leafTries: this.#leafTries(),
      localTries: knobs.localTries >>> 0,
      fallbackTries: knobs.fallbackTries >>> 0,
      varyR: knobs.varyR,
      stable: knobs.stable !== 0,
      choices,
      passedOver,
      result,
    };
  }

  #choose(item: number, wanted: number, room: number): Chosen {
    const knobs = this.#knobs;
    const start = this.#walk.bucket(item);
    const order = {
      replicas: wanted,
      type: this.#step.arg2,
      toLeaf: this.#toLeaf,
      tries: knobs.tries >>> 0,
      leafTries: this.#leafTries(),
    };
    if (!this.#firstn) return chooseIndep(this.#walk, start, { ...order, places: Math.min(wanted, room) });
    return chooseFirstn(this.#walk, start, {
      ...order,
      room,
      localTries: knobs.localTries >>> 0,
      fallbackTries: knobs.fallbackTries >>> 0,
      varyR: knobs.varyR,
      stable: knobs.stable !== 0,
    });
  }

  #leafTries(): number {
    const { leafTries, tries } = this.#knobs;
    if (leafTries !== 0) return leafTries >>> 0;
    return !this.#firstn || this.#walk.map.tunables.chooseleafDescendOnce !== 0 ? 1 : tries >>> 0;
  }
}

/** Sets a tunable for the rest of the rule: tries must be above 0, the others not below. Gives whether it did. */
function setKnob(knobs: Knobs, { op, arg1 }: CrushRuleStep): boolean {
  if (arg1 < 0) return false;
  switch (op) {
    case RULE_OP.setChooseTries:
      if (arg1 > 0) knobs.tries = arg1;
      return arg1 > 0;
    case RULE_OP.setChooseleafTries:
      if (arg1 > 0) knobs.leafTries = arg1;
      return arg1 > 0;
    case RULE_OP.setChooseLocalTries:
      knobs.localTries = arg1;
      return true;
    case RULE_OP.setChooseLocalFallbackTries:
      knobs.fallbackTries = arg1;
      return true;
    case RULE_OP.setChooseleafVaryR:
      knobs.varyR = arg1;
      return true;
    case RULE_OP.setChooseleafStable:
      knobs.stable = arg1;
      return true;
    default:
      return false;
  }
}
