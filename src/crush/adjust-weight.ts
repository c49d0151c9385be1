/** Changes weights of items of a finished map; the map given stays as it is. */
import { CrushDraft } from './draft.ts';
import { adjustItemWeight as adjustInDraft } from './edit/weights.ts';
import type { CrushMap } from './model.ts';

/**
 * A map in which item `id` weighs `weight` wherever it stands, with everything that hangs on it: the buckets above,
 * what list, tree and straw buckets keep beside the weights, and the weight-sets (`CrushWrapper::adjust_item_weight`).
 *
 * @param weight - 16.16.
 * @returns The same map when the item is in no bucket.
 */
export function adjustItemWeight(map: CrushMap, id: number, weight: number): CrushMap {
  return adjustItemWeights(map, [id], weight);
}

/** As {@link adjustItemWeight} for several items, one after the other. */
export function adjustItemWeights(map: CrushMap, ids: Iterable<number>, weight: number): CrushMap {
  const draft = CrushDraft.from(map);
  let changed = 0;
  for (const id of ids) changed += adjustInDraft(draft, id, weight);
  return changed === 0 ? map : draft.finish();
}
