/**
 * Random placement rules over a map's buckets and devices.
 */
import { RULE_OP, RULE_TYPE } from '../src/crush/model.ts';
import type { CrushBucket, CrushRule, CrushRuleStep, CrushTunables } from '../src/crush/model.ts';
import type { Random } from './random.ts';

/** What rules can speak of. */
export interface RuleGround {
  readonly buckets: readonly (CrushBucket | undefined)[];
  readonly devices: readonly number[];
  /** Bucket types from the lowest level to the roots'. */
  readonly levels: readonly number[];
  readonly tunables: CrushTunables;
  readonly limits: 'text' | 'binary' | 'any';
  readonly msr?: boolean;
}

/** One to four rules, at ids with gaps. */
export function randomRules(random: Random, ground: RuleGround): (CrushRule | undefined)[] {
  const rules: (CrushRule | undefined)[] = [];
  const count = random.between(1, 4);
  for (let made = 0; made < count; made++) {
    while (random.chance(0.2)) rules.push(undefined);
    const msr = ground.msr === true && random.chance(0.7);
    const type = msr
      ? random.pick([RULE_TYPE.msrFirstn, RULE_TYPE.msrIndep])
      : random.pick([RULE_TYPE.replicated, RULE_TYPE.erasure]);
    const steps = msr ? msrSteps(random, ground) : classicSteps(random, ground);
    rules.push({ id: rules.length, type, ruleset: rules.length, minSize: 1, maxSize: 10, steps });
  }
  return rules;
}

function classicSteps(random: Random, ground: RuleGround): CrushRuleStep[] {
  const steps: CrushRuleStep[] = [];
  for (let block = random.pick([1, 1, 1, 2, 3]); block > 0; block--) {
    while (random.chance(0.35)) steps.push(settingStep(random, ground));
    steps.push(...takeAndChoose(random, ground));
    if (random.chance(0.97)) steps.push({ op: RULE_OP.emit, arg1: 0, arg2: 0 });
    if (random.chance(0.03)) steps.push({ op: RULE_OP.emit, arg1: 0, arg2: 0 });
  }
  return steps;
}

function takeAndChoose(random: Random, ground: RuleGround): CrushRuleStep[] {
  if (random.chance(0.06)) return [take(random.pick(ground.devices))];
  const root = pickBucket(random, ground);
  const steps = [take(root.id)];
  if (ground.limits === 'any' && random.chance(0.05)) steps.push(take(random.pick([-1000, 100_000])));
  // Down through some of the levels, highest first; now and then levels that are not below.
  const below = ground.levels.filter((type) => type < root.type || random.chance(0.05));
  const remaining = [...below];
  for (const type of [...below].reverse()) {
    if (random.chance(0.7)) continue;
    const firstn = random.chance(0.5);
    steps.push({
      op: firstn ? RULE_OP.chooseFirstn : RULE_OP.chooseIndep,
      arg1: count(random),
      arg2: type,
    });
    remaining.splice(remaining.indexOf(type));
  }
  if (ground.limits === 'any' && steps.length > 1 && random.chance(0.15)) return steps;
  const toLeaf = random.chance(0.6);
  const op = toLeaf
    ? random.pick([RULE_OP.chooseleafFirstn, RULE_OP.chooseleafIndep])
    : random.pick([RULE_OP.chooseFirstn, RULE_OP.chooseIndep]);
  // Only chooseleaf gives devices for every type; crushtool counts what a rule gives and cannot count buckets.
  steps.push({ op, arg1: count(random), arg2: toLeaf ? random.pick([0, ...remaining]) : 0 });
  return steps;
}

/** A bucket to take, most often a large one. */
function pickBucket(random: Random, ground: RuleGround): CrushBucket {
  const present = ground.buckets.filter((bucket) => bucket !== undefined);
  const roots = present.filter((bucket) => bucket.type === ground.levels.at(-1));
  return random.pick(random.chance(0.85) ? roots : present);
}

function count(random: Random): number {
  return random.pick([0, 0, 0, 0, 1, 2, 3, 5, -1, -2, -9]);
}

function take(item: number): CrushRuleStep {
  return { op: RULE_OP.take, arg1: item, arg2: 0 };
}

/** A step that sets a tunable. Tries are kept low enough that no mapping takes long. */
function settingStep(random: Random, ground: RuleGround): CrushRuleStep {
  const few = ground.tunables.chooseleafDescendOnce === 0;
  const [op, values] = random.pick<readonly [number, readonly number[]]>([
    [RULE_OP.setChooseTries, few ? [0, 1, 2, 5, 20] : [0, 1, 2, 5, 20, 100]],
    [RULE_OP.setChooseleafTries, [0, 1, 2, 5, 10]],
    [RULE_OP.setChooseLocalTries, [0, 1, 2, 5, 19]],
    [RULE_OP.setChooseLocalFallbackTries, [0, 1, 2, 5, 19]],
    [RULE_OP.setChooseleafVaryR, [0, 1, 2, 3, 4, 32, 33]],
    [RULE_OP.setChooseleafStable, [0, 1, 2]],
  ]);
  const negative = ground.limits !== 'text' && random.chance(0.15);
  return { op, arg1: negative ? -random.between(1, 3) : random.pick(values), arg2: 0 };
}

/** An MSR rule: settings, then blocks that go down level by level to devices; now and then malformed. */
function msrSteps(random: Random, ground: RuleGround): CrushRuleStep[] {
  const steps: CrushRuleStep[] = [];
  if (random.chance(0.3))
    steps.push({ op: RULE_OP.setMsrDescents, arg1: random.pick([0, 1, 5, 20]), arg2: 0 });
  if (random.chance(0.3)) {
    steps.push({ op: RULE_OP.setMsrCollisionTries, arg1: random.pick([0, 1, 5, 20]), arg2: 0 });
  }
  const roots = ground.buckets.filter(
    (bucket) => bucket !== undefined && bucket.type === ground.levels.at(-1),
  );
  for (let block = random.pick([1, 1, 1, 2]); block > 0; block--) {
    steps.push(take(random.chance(0.02) ? random.pick([0, -1000]) : random.pick(roots)!.id));
    for (const type of ground.levels.slice(0, -1).reverse()) {
      if (random.chance(0.5)) continue;
      steps.push({ op: RULE_OP.chooseMsr, arg1: random.pick([0, 1, 2, 3, 4]), arg2: type });
    }
    const last = random.chance(0.05) ? random.pick(ground.levels) : 0;
    if (random.chance(0.98))
      steps.push({ op: RULE_OP.chooseMsr, arg1: random.pick([0, 1, 1, 2, 3]), arg2: last });
    if (random.chance(0.03)) steps.push({ op: RULE_OP.chooseFirstn, arg1: 1, arg2: 0 });
    steps.push({ op: RULE_OP.emit, arg1: 0, arg2: 0 });
  }
  return steps;
}
