/**
 * What the checks of a map share: who holds whom, without the edges that a damaged map must not have, so that
 * every check may walk down without looking out for loops and holes.
 */
import { MAX_BUCKETS } from '../limits.ts';
import { BUCKET_ALGORITHM, type CrushBucket, type CrushMap } from '../model.ts';
import { isValidName } from '../names.ts';

/** How a shadow bucket came to be. */
export interface ShadowOf {
  readonly original: number;
  readonly classId: number;
}

/** One pass over a map, for its checks. */
export class MapIndex {
  readonly map: CrushMap;
  /** Buckets that stand at their id, in order of the table. */
  readonly buckets: readonly CrushBucket[];
  /** Buckets of which another holds one more than it should: the last edge of a ring, as holder and held. */
  readonly rings: readonly (readonly number[])[];
  /** Shadow buckets that the class table knows, by id. */
  readonly shadowOf: ReadonlyMap<number, ShadowOf>;
  /** Buckets from the leaves up: every bucket after those it holds. */
  readonly upward: readonly CrushBucket[];
  readonly #byId: ReadonlyMap<number, CrushBucket>;
  readonly #cut: ReadonlySet<string>;
  readonly #isUsable: (device: number) => boolean;
  readonly #holders = new Map<number, number[]>();
  readonly #liveDevices = new Map<number, number>();

  /** @param reweights - 16.16; devices of 0, and beyond the end, are out. Default: all in. */
  constructor(map: CrushMap, reweights: Uint32Array | undefined) {
    this.map = map;
    const table = map.buckets.slice(0, MAX_BUCKETS);
    this.buckets = table.filter((bucket, index) => bucket?.id === -1 - index) as CrushBucket[];
    this.#byId = new Map(this.buckets.map((bucket) => [bucket.id, bucket]));
    this.#isUsable = (device) =>
      device < map.maxDevices && (reweights === undefined || (reweights[device] ?? 0) > 0);
    const walk = this.#walk();
    this.rings = walk.rings;
    this.upward = walk.upward;
    this.#cut = walk.cut;
    const shadows = new Map<number, ShadowOf>();
    for (const [original, byClass] of map.classBuckets) {
      for (const [classId, id] of byClass) shadows.set(id, { original, classId });
    }
    this.shadowOf = shadows;
    for (const bucket of this.buckets) {
      for (const item of bucket.items) {
        const holders = this.#holders.get(item);
        if (holders === undefined) this.#holders.set(item, [bucket.id]);
        else if (holders.at(-1) !== bucket.id) holders.push(bucket.id);
      }
    }
  }

  /** A bucket that stands at its id, or undefined. */
  bucket(id: number): CrushBucket | undefined {
    return this.#byId.get(id);
  }

  /** Whether a bucket is the shadow of another: the class table says so, or its name. */
  isShadow(id: number): boolean {
    if (this.shadowOf.has(id)) return true;
    const name = this.map.itemNames.get(id);
    return name?.includes('~') === true && !isValidName(name);
  }

  /** The bucket that a bucket stands for: the original of a shadow, else itself. */
  originalOf(id: number): number {
    return this.shadowOf.get(id)?.original ?? id;
  }

  /** Items that buckets hold, with the buckets that hold each, once, in order of the table. */
  get held(): Iterable<readonly [item: number, holders: readonly number[]]> {
    return this.#holders;
  }

  /** Buckets that hold an item, see {@link held}. */
  holders(id: number): readonly number[] {
    return this.#holders.get(id) ?? [];
  }

  /** The child at a position as a bucket; undefined for devices, for what is missing and for what closes a ring. */
  child(bucket: CrushBucket, position: number): CrushBucket | undefined {
    const item = bucket.items[position] ?? 0;
    if (item >= 0 || (this.#cut.size > 0 && this.#cut.has(edge(bucket.id, item)))) return undefined;
    return this.#byId.get(item);
  }

  /** Whether the item at a position can be chosen: it has weight, and below it are devices that are in. */
  isLive(bucket: CrushBucket, position: number): boolean {
    if (!canDraw(bucket, position)) return false;
    const item = bucket.items[position] ?? 0;
    if (item >= 0) return this.#isUsable(item);
    const child = this.child(bucket, position);
    return child !== undefined && this.liveDevices(child.id) > 0;
  }

  /**
   * How many devices below a bucket, over paths of weight, can be chosen; those that hang there twice count twice.
   */
  liveDevices(id: number): number {
    if (this.#liveDevices.size === 0) {
      for (const bucket of this.upward) {
        let count = 0;
        for (let i = 0; i < bucket.items.length; i++) {
          if (!canDraw(bucket, i)) continue;
          const item = bucket.items[i] ?? 0;
          if (item >= 0) count += this.#isUsable(item) ? 1 : 0;
          else count += this.#liveDevices.get(this.child(bucket, i)?.id ?? 0) ?? 0;
        }
        this.#liveDevices.set(bucket.id, count);
      }
    }
    return this.#liveDevices.get(id) ?? 0;
  }

  /** Every bucket at or below one, each once, the top first. */
  below(top: CrushBucket): CrushBucket[] {
    const found = [top];
    const seen = new Set([top.id]);
    for (const bucket of found) {
      for (let i = 0; i < bucket.items.length; i++) {
        const child = this.child(bucket, i);
        if (child === undefined || seen.has(child.id)) continue;
        seen.add(child.id);
        found.push(child);
      }
    }
    return found;
  }

  /** Depth first, without recursion since chains may be long. */
  #walk(): { rings: number[][]; upward: CrushBucket[]; cut: Set<string> } {
    const OPEN = 1;
    const DONE = 2;
    const state = new Map<number, number>();
    const rings: number[][] = [];
    const upward: CrushBucket[] = [];
    const cut = new Set<string>();
    for (const root of this.buckets) {
      if (state.has(root.id)) continue;
      const path: { readonly bucket: CrushBucket; next: number }[] = [{ bucket: root, next: 0 }];
      state.set(root.id, OPEN);
      for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
        const { bucket } = top;
        if (top.next >= bucket.items.length) {
          state.set(bucket.id, DONE);
          upward.push(bucket);
          path.pop();
          continue;
        }
        const item = bucket.items[top.next++] ?? 0;
        const child = item < 0 ? this.#byId.get(item) : undefined;
        if (child === undefined) continue;
        if (state.get(item) === OPEN) {
          if (cut.has(edge(bucket.id, item))) continue;
          cut.add(edge(bucket.id, item));
          const ids = path.map((each) => each.bucket.id);
          rings.push(ids.slice(ids.indexOf(item)));
        } else if (!state.has(item)) {
          state.set(item, OPEN);
          path.push({ bucket: child, next: 0 });
        }
      }
    }
    return { rings, upward, cut };
  }
}

/**
 * 16.16 weight of the item at a position; 0 where the bucket's arrays end before, or its algorithm is unknown. Unlike
 * `bucketItemWeight` it trusts no bucket to be what its type says.
 */
export function weightAt(bucket: CrushBucket, position: number): number {
  const fields: Partial<Record<'nodeWeights' | 'itemWeights', Uint32Array>> & {
    readonly itemWeight?: number;
  } = bucket;
  switch (bucket.alg as number) {
    case BUCKET_ALGORITHM.uniform:
      return fields.itemWeight ?? 0;
    case BUCKET_ALGORITHM.tree:
      return fields.nodeWeights?.[2 * position + 1] ?? 0;
    default:
      return fields.itemWeights?.[position] ?? 0;
  }
}

/** Whether an item can be drawn from its bucket: uniform buckets do not look at weights. */
function canDraw(bucket: CrushBucket, position: number): boolean {
  return bucket.alg === BUCKET_ALGORITHM.uniform || weightAt(bucket, position) !== 0;
}

function edge(holder: number, held: number): string {
  return `${holder} ${held}`;
}
