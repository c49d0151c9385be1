/**
 * What would be if: changes made to an OSDMap, as plain data in and out. What they move is for `compareMaps`.
 */
import { CrushError } from '../errors.ts';
import type { OsdMap } from '../osdmap/model.ts';
import type { PgMapperOptions } from '../osdmap/pg-mapper.ts';
import { cleanUpmaps } from '../osdmap/upmap-cleanup.ts';
import { applyChange } from './what-if/apply.ts';
import type { MapChange } from './what-if/changes.ts';

export {
  type ChangeLocation,
  type MapChange,
  POOL_CHANGE_FIELDS,
  type PoolChangeField,
} from './what-if/changes.ts';
export { failEach, type FailEachOptions, type FailureResult, type FullestOsd } from './what-if/failures.ts';
export { type OsdFill, osdFills } from './what-if/fill.ts';
export type { HoldUpmap } from './what-if/hold.ts';
export { type Hold, planStaging, type StagingOptions, type StagingPlan } from './what-if/staging.ts';
export { type CrushMapFileChange, parseChanges, readCrushMaps, type WrittenChange } from './what-if/text.ts';

/** Options of {@link applyChanges}. */
export interface WhatIfOptions extends PgMapperOptions {
  /** Leave upmaps in place that Ceph's monitor would take away. Default: false. */
  readonly keepUpmaps?: boolean;
}

/**
 * The map after changes, one after the other. After each, upmaps go that Ceph's monitor would take away then: those
 * that break the rule, lead to an OSD that is out, or change nothing. The epoch is one more than it was.
 *
 * @throws CrushError for a change that names what is not in the map, is out of range, or is refused by Ceph too; the
 * message says which of several it was
 * @example
 * ```ts
 * const after = applyChanges(map, [
 *   { kind: 'out', targets: ['osd.3'] },
 *   { kind: 'pool', pool: 'rbd', field: 'size', value: '3' },
 * ]);
 * ```
 */
export function applyChanges(
  map: OsdMap,
  changes: readonly MapChange[],
  options: WhatIfOptions = {},
): OsdMap {
  const { keepUpmaps = false, ...mapperOptions } = options;
  let result = map;
  for (const [i, change] of changes.entries()) {
    try {
      result = applyChange(result, change);
      if (!keepUpmaps) result = cleanUpmaps(result, mapperOptions);
    } catch (error) {
      if (!(error instanceof CrushError) || changes.length === 1) throw error;
      throw error.at({ path: `change ${i + 1} (${change.kind})` });
    }
  }
  return changes.length === 0 ? map : { ...result, epoch: map.epoch + 1 };
}
