/**
 * The second opinion: CRUSH in plain TypeScript, written from the facts for reading. It shares no code with the
 * kernel, uses BigInt wherever Ceph has 64 bits, and is slow.
 */
import { RULE_TYPE, WEIGHT_ONE } from '../../src/crush/model.ts';
import type { CrushMap } from '../../src/crush/model.ts';
import { runMsrRule } from './msr.ts';
import { runRule } from './rule.ts';

/** What to map. */
export interface ReferenceRequest {
  /** Rule number. */
  readonly rule: number;
  /** The input, any 32-bit number. */
  readonly x: number;
  /** Places to fill (`result_max`). */
  readonly size: number;
  /** 16.16 reweight of each device; all in if absent. */
  readonly reweights?: Uint32Array | undefined;
  /** Index of the set of choose_args in force; none if absent or not in the map. */
  readonly chooseArgs?: number | undefined;
}

/**
 * The items that `request` maps to: as many as `size` for indep, up to that for firstn, none without a rule.
 *
 * @throws CrushError where Ceph would crash: a missing bucket, an MSR rule it cannot run.
 *
 * @example
 * ```ts
 * referenceMap(map, { rule: 0, x: 1234, size: 3 });
 * ```
 */
export function referenceMap(map: CrushMap, request: ReferenceRequest): number[] {
  const rule = map.rules[request.rule];
  if (rule === undefined || request.size === 0) return [];
  const walk = {
    map,
    x: request.x | 0,
    reweights: request.reweights ?? new Uint32Array(map.maxDevices).fill(WEIGHT_ONE),
    chooseArgs: request.chooseArgs === undefined ? undefined : map.chooseArgs.get(request.chooseArgs),
  };
  const isMsr = rule.type === RULE_TYPE.msrFirstn || rule.type === RULE_TYPE.msrIndep;
  return isMsr ? runMsrRule(walk, rule, request.size) : runRule(walk, rule, request.size);
}
