/**
 * Brings CRUSH maps from different sources into one form, so that tests can compare them whole.
 */
import type { CrushMap } from '../src/crush/model.ts';

/**
 * Everything a map says, without what a JSON dump cannot say: class numbers (names stand for them), the sizes of
 * the tables, how far the encoding went, and the rule masks of old (newer releases print none).
 */
export function comparable(map: CrushMap): Record<string, unknown> {
  const className = (number: number): string | undefined => map.classNames.get(number);
  return {
    maxDevices: map.maxDevices,
    buckets: sorted(
      map.buckets.filter((bucket) => bucket !== undefined).map((bucket) => [bucket.id, bucket]),
    ),
    rules: map.rules
      .filter((rule) => rule !== undefined)
      .map(({ id, type, steps }) => ({ id, type, steps: steps.map((step) => ({ ...step })) })),
    tunables: map.tunables,
    typeNames: sorted(map.typeNames),
    itemNames: sorted(map.itemNames),
    ruleNames: sorted(map.ruleNames),
    classes: sorted([...map.itemClasses].map(([item, number]) => [item, className(number)])),
    shadows: sorted(
      [...map.classBuckets].map(([bucket, byClass]) => [
        bucket,
        Object.fromEntries([...byClass].map(([number, id]) => [className(number), id])),
      ]),
    ),
    chooseArgs: sorted([...map.chooseArgs].map(([index, args]) => [index, sorted(args)])),
  };
}

/** Entries of a map by ascending key. */
function sorted<Value>(entries: Iterable<readonly [number, Value]>): (readonly [number, Value])[] {
  return [...entries].sort(([a], [b]) => a - b);
}
