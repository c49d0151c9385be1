/**
 * Runs the steps of a classic rule (Ceph's crush_do_rule, crush_do_rule_no_retry in newer sources).
 */
import { RULE_OP } from '../../src/crush/model.ts';
import type { CrushMap, CrushRule, CrushRuleStep } from '../../src/crush/model.ts';
import { chooseFirstn, chooseIndep } from './choose.ts';
import type { Chosen } from './choose.ts';
import { bucketOf } from './walk.ts';
import type { Walk } from './walk.ts';

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

/** Devices (or buckets, if a rule emits some) for `size` places; firstn rules may give fewer. */
export function runRule(walk: Walk, rule: CrushRule, size: number): number[] {
  const { tunables } = walk.map;
  const knobs: Knobs = {
    // The tunable counts retries.
    tries: (tunables.chooseTotalTries + 1) | 0,
    leafTries: 0,
    localTries: tunables.chooseLocalTries | 0,
    fallbackTries: tunables.chooseLocalFallbackTries | 0,
    varyR: tunables.chooseleafVaryR,
    stable: tunables.chooseleafStable,
  };
  const result: number[] = [];
  let working: number[] = [];
  for (const step of rule.steps) {
    switch (step.op) {
      case RULE_OP.take:
        if (canTake(walk.map, step.arg1)) working = [step.arg1];
        break;
      case RULE_OP.chooseFirstn:
      case RULE_OP.chooseleafFirstn:
      case RULE_OP.chooseIndep:
      case RULE_OP.chooseleafIndep:
        if (working.length > 0) working = choose(walk, working, step, knobs, size);
        break;
      case RULE_OP.emit:
        result.push(...working.slice(0, size - result.length));
        working = [];
        break;
      default:
        setKnob(knobs, step);
    }
  }
  return result;
}

function canTake(map: CrushMap, item: number): boolean {
  return item >= 0 ? item < map.maxDevices : map.buckets[-1 - item] !== undefined;
}

/** Replaces each working item by what the step chooses below it. */
function choose(walk: Walk, working: number[], step: CrushRuleStep, knobs: Knobs, size: number): number[] {
  const toLeaf = step.op === RULE_OP.chooseleafFirstn || step.op === RULE_OP.chooseleafIndep;
  const firstn = step.op === RULE_OP.chooseFirstn || step.op === RULE_OP.chooseleafFirstn;
  // Counts of 0 and below are meant relative to the size asked for.
  const replicas = step.arg1 > 0 ? step.arg1 : step.arg1 + size;
  const next: number[] = [];
  if (replicas <= 0) return next;
  for (const item of working) {
    // A device, or the hole an indep step left, has nothing below it.
    if (item >= 0) continue;
    const room = size - next.length;
    const order = { replicas, type: step.arg2, toLeaf, tries: knobs.tries >>> 0 };
    const start = bucketOf(walk, item);
    let chosen: Chosen;
    if (firstn) {
      chosen = chooseFirstn(walk, start, {
        ...order,
        room,
        leafTries: firstnLeafTries(walk.map, knobs) >>> 0,
        localTries: knobs.localTries >>> 0,
        fallbackTries: knobs.fallbackTries >>> 0,
        varyR: knobs.varyR,
        stable: knobs.stable !== 0,
      });
    } else {
      chosen = chooseIndep(walk, start, {
        ...order,
        places: Math.min(replicas, room),
        leafTries: knobs.leafTries === 0 ? 1 : knobs.leafTries,
      });
    }
    next.push(...(toLeaf ? chosen.leaves : chosen.items));
  }
  return next;
}

function firstnLeafTries(map: CrushMap, knobs: Knobs): number {
  if (knobs.leafTries !== 0) return knobs.leafTries;
  return map.tunables.chooseleafDescendOnce !== 0 ? 1 : knobs.tries;
}

/** Steps that set a tunable for the rest of the rule; tries must be above 0, the others not below. */
function setKnob(knobs: Knobs, { op, arg1 }: CrushRuleStep): void {
  if (op === RULE_OP.setChooseTries && arg1 > 0) knobs.tries = arg1;
  if (op === RULE_OP.setChooseleafTries && arg1 > 0) knobs.leafTries = arg1;
  if (op === RULE_OP.setChooseLocalTries && arg1 >= 0) knobs.localTries = arg1;
  if (op === RULE_OP.setChooseLocalFallbackTries && arg1 >= 0) knobs.fallbackTries = arg1;
  if (op === RULE_OP.setChooseleafVaryR && arg1 >= 0) knobs.varyR = arg1;
  if (op === RULE_OP.setChooseleafStable && arg1 >= 0) knobs.stable = arg1;
}
