/** The health of an OSDMap's CRUSH map, with what its pools ask of it. */
import { validate, type CrushProblem, type RulePool } from '../crush/validate.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { findPoolRule } from '../osdmap/pool-rule.ts';

/** The pools of an OSDMap as {@link validate} takes them. */
export function rulePools(map: OsdMap): RulePool[] {
  return [...map.pools.values()].map((pool) => ({
    id: pool.id,
    name: pool.name,
    rule: findPoolRule(map.crush, pool, Infinity),
    size: pool.size,
    minSize: pool.minSize,
    type: pool.type,
  }));
}

/**
 * Lists every problem of an OSDMap's CRUSH map: rules are checked for the sizes of the pools that use them, and OSDs
 * that are out count for nothing.
 */
export function validateOsdMap(map: OsdMap): CrushProblem[] {
  return validate(map.crush, { pools: rulePools(map), reweights: map.osdWeight });
}
