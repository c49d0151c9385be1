/** The order in which buckets are built: those that others contain first. */
import type { BucketNode, Construct } from './crush-text-syntax.ts';

/** Of so many buckets with the name of another the order is of no interest: the first such is refused. */
const MOST_DOUBLES = 100;

/**
 * Swaps buckets that stand below one that contains them with that one, as Ceph does: each pair once, by their places
 * in the text, so that not every order is mended (`CrushCompiler::adjust_bucket_item_place`).
 *
 * @param refuse - Called for two buckets that contain each other; must throw.
 */
export function inBuildOrder(
  constructs: readonly Construct[],
  refuse: (first: BucketNode, second: BucketNode) => never,
): readonly Construct[] {
  if (isInOrder(constructs)) return constructs;
  const ordered = [...constructs];
  const buckets: BucketNode[] = [];
  // Of a name that several buckets have the last place counts, and the items of all.
  const places = new Map<string, number>();
  const indexes = new Map<string, number[]>();
  const contents = new Map<string, Set<string>>();
  constructs.forEach((construct, place) => {
    if (construct.kind !== 'bucket') return;
    const name = construct.name.text;
    places.set(name, place);
    const known = indexes.get(name);
    if (known === undefined) indexes.set(name, [buckets.length]);
    else known.push(buckets.length);
    const items = contents.get(name) ?? new Set();
    for (const item of construct.items) items.add(item.name.text);
    contents.set(name, items);
    buckets.push(construct);
  });
  if (buckets.length - places.size > MOST_DOUBLES) return constructs;

  buckets.forEach((holder, index) => {
    const name = holder.name.text;
    const below = [...(contents.get(name) ?? [])]
      .flatMap((item) => indexes.get(item) ?? [])
      .filter((other) => other > index)
      .sort((a, b) => a - b);
    for (const other of below) {
      const held = buckets[other];
      if (held === undefined) continue;
      if (contents.get(held.name.text)?.has(name) === true) refuse(holder, held);
      swap(ordered, places.get(name) ?? 0, places.get(held.name.text) ?? 0);
    }
  });
  return ordered;
}

/** Whether no bucket contains one that stands below it, as is usual. */
function isInOrder(constructs: readonly Construct[]): boolean {
  const lastPlaces = new Map<string, number>();
  constructs.forEach((construct, place) => {
    if (construct.kind === 'bucket') lastPlaces.set(construct.name.text, place);
  });
  return constructs.every(
    (construct, place) =>
      construct.kind !== 'bucket' ||
      construct.items.every(({ name }) => (lastPlaces.get(name.text) ?? 0) <= place),
  );
}

function swap(array: Construct[], a: number, b: number): void {
  const [first, second] = [array[a], array[b]];
  if (first === undefined || second === undefined) return;
  array[a] = second;
  array[b] = first;
}
