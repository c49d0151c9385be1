/**
 * Finds everything that is wrong with a CRUSH map, or will be: in the hierarchy, the weights, the names, the rules,
 * the tunables, the device classes and the choose_args.
 */
import { CrushError } from '../errors.ts';
import { mapKind } from './kind.ts';
import type { CrushMap } from './model.ts';
import { checkBuckets } from './validate/buckets.ts';
import { Capacity } from './validate/capacity.ts';
import { checkChooseArgs, type ChooseArgsPools } from './validate/choose-args.ts';
import { checkClasses } from './validate/classes.ts';
import { MapIndex } from './validate/index-of-map.ts';
import { checkNames } from './validate/names.ts';
import { checkOverlaps } from './validate/overlaps.ts';
import { ProblemList, type CrushProblem } from './validate/problems.ts';
import { checkSizes, type RulePool } from './validate/sizes.ts';
import { checkSteps } from './validate/steps.ts';
import { checkTunables } from './validate/tunables.ts';
import { checkWeights } from './validate/weights.ts';

export {
  type CrushProblem,
  type CrushProblemCode,
  PROBLEM_SEVERITY,
  type ProblemPlace,
  type ProblemSeverity,
} from './validate/problems.ts';
export type { RulePool } from './validate/sizes.ts';

/** What a map is used for, where it is known. */
export interface ValidateOptions {
  /** The pools: rules are then checked for their sizes instead of for usual ones. */
  readonly pools?: readonly RulePool[] | undefined;
  /** 16.16 reweights of devices; those of 0, and those beyond the end, are out. Default: all in. */
  readonly reweights?: Uint32Array | undefined;
}

/**
 * Lists every problem of a map, errors first. Takes maps that mappers refuse, and says why they do.
 *
 * A map without errors can be mapped from, and its rules give pools all OSDs they ask for; warnings say where data
 * lies otherwise than weights and rules ask, or what breaks with the next failure; notes are advice.
 *
 * @throws {@link CrushError} `bad-argument` for what is no CRUSH map
 * @example
 * ```ts
 * for (const { severity, where, message, cure } of validate(map)) {
 *   console.log(`${severity}: ${where}: ${message}; ${cure}`);
 * }
 * ```
 */
export function validate(map: CrushMap, options: ValidateOptions = {}): CrushProblem[] {
  if (mapKind(map) !== 'CRUSH map') {
    throw new CrushError(
      'bad-argument',
      'validate takes a CRUSH map: of an OSDMap, the one inside (osdMap.crush)',
    );
  }
  const { pools, reweights } = options;
  const problems = new ProblemList(map);
  const index = new MapIndex(map, reweights);
  const capacity = new Capacity(index);
  checkBuckets(index, problems);
  checkSteps(index, problems);
  checkSizes(index, capacity, pools, problems);
  checkOverlaps(index, capacity, pools && new Set(pools.map(({ rule }) => rule)), problems);
  checkWeights(index, problems);
  checkClasses(index, problems);
  checkChooseArgs(index, chooseArgsPools(map, pools), problems);
  checkNames(index, problems);
  checkTunables(index, problems);
  return problems.sorted();
}

/** Which pools choose_args are for: each set for the pool of its index, or for all. */
function chooseArgsPools(map: CrushMap, pools: readonly RulePool[] | undefined): ChooseArgsPools {
  const sizes = new Map<number, number>();
  for (const { id, size } of pools ?? []) {
    const set = map.chooseArgs.has(id) ? id : -1;
    sizes.set(set, Math.max(size, sizes.get(set) ?? 0));
  }
  return { ids: pools && new Set(pools.map(({ id }) => id)), sizes };
}
