/** Flows of shards between buckets of a type. */
import type { CrushMap } from '../../crush/model.ts';
import { itemName, parentOf } from '../../crush/names.ts';
import { NOWHERE } from './movement.ts';
import type { ShardFlow } from './tally.ts';

/** Shards that move from one bucket to another, or stay within one. */
export interface BucketFlow {
  /** Name of the bucket; undefined for shards that are new, or whose OSD is in no bucket of the type. */
  readonly source: string | undefined;
  /** Name of the bucket; undefined for shards that are dropped, or whose OSD is in no bucket of the type. */
  readonly target: string | undefined;
  /** How many. */
  readonly shards: number;
  /** Objects that are copied with them; 0 without a PG dump. */
  readonly objects: number;
  /** Bytes that are copied with them; 0 without a PG dump. */
  readonly bytes: number;
}

/**
 * Sums up flows by the buckets of a type that the OSDs are in, those of the most shards first.
 *
 * @param type - number of the type; 0 is for the OSDs themselves
 */
export function flowsBetween(
  flows: readonly ShardFlow[],
  type: number,
  before: CrushMap,
  after: CrushMap,
): BucketFlow[] {
  const names = { before: new BucketNames(before, type), after: new BucketNames(after, type) };
  const sums = new Map<string, { -readonly [K in keyof BucketFlow]: BucketFlow[K] }>();
  for (const { source, target, shards, objects, bytes } of flows) {
    const from = source === NOWHERE ? undefined : names.before.above(source);
    const to = target === NOWHERE ? undefined : names.after.above(target);
    const key = `${from ?? ''}\n${to ?? ''}`;
    const sum = sums.get(key) ?? { source: from, target: to, shards: 0, objects: 0, bytes: 0 };
    sum.shards += shards;
    sum.objects += objects;
    sum.bytes += bytes;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.shards - a.shards);
}

/** Names of the buckets of a type that OSDs are in. */
export class BucketNames {
  readonly #map: CrushMap;
  readonly #type: number;
  readonly #known = new Map<number, string | undefined>();

  constructor(map: CrushMap, type: number) {
    this.#map = map;
    this.#type = type;
  }

  /** The name of an OSD's bucket, or undefined. */
  above(osd: number): string | undefined {
    if (this.#type === 0) return `osd.${osd}`;
    if (!this.#known.has(osd)) this.#known.set(osd, this.#find(osd));
    return this.#known.get(osd);
  }

  #find(osd: number): string | undefined {
    const seen = new Set<number>();
    for (let id = parentOf(this.#map, osd); id !== undefined && !seen.has(id); id = parentOf(this.#map, id)) {
      seen.add(id);
      if (this.#map.buckets[-1 - id]?.type === this.#type) return itemName(this.#map, id) ?? `bucket ${id}`;
    }
    return undefined;
  }
}
