/** Ceph's estimate of how many items a rule can give. */
import type { CrushMap, CrushRule } from '../../crush/model.ts';

/**
 * The fewest of any type that a rule's steps name, or as many as a step asks for
 * (`CrushTester::get_maximum_affected_by_rule`). Steps that only set a number count as naming type 0, and devices
 * are not counted; the estimate is printed, so its oddities are kept.
 */
export function mostItemsOf(map: CrushMap, rule: CrushRule): number {
  const asked = new Map<number, number>();
  for (const { op, arg1, arg2 } of rule.steps) {
    if (op >= 2 && op !== 4) asked.set(arg2, arg1);
  }
  let most = Math.max(map.buckets.length, map.maxDevices);
  for (const [type, wanted] of asked) {
    let available = 0;
    for (const id of map.itemNames.keys()) {
      if (id < 0 && map.buckets[-1 - id]?.type === type) available++;
    }
    // A type that two steps name is counted twice.
    available *= rule.steps.filter(({ op, arg2 }) => op >= 2 && op !== 4 && arg2 === type).length;
    if (wanted > 0 && wanted < available) available = wanted;
    if (available > 0 && available < most) most = available;
  }
  return most;
}
