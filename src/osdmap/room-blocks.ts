/** The blocks of a pool's rule, with what hangs below their takes. */
import { MapIndex, weightAt } from '../crush/validate/index-of-map.ts';
import { choiceCount, ruleBlocks } from '../crush/validate/rule-blocks.ts';
import type { OsdMap, Pool } from './model.ts';
import { findPoolRule } from './pool-rule.ts';

/** A level of a block: at most so many buckets of a type within one bucket of the level above. */
interface RoomLevel {
  readonly type: number;
  readonly count: number;
  /** Whether one device is chosen below each, by the same step. */
  readonly toLeaf: boolean;
}

/** A take, the levels chosen below it, and the devices there. */
export interface RoomBlock {
  readonly take: number;
  readonly levels: readonly RoomLevel[];
  /** Items that the block gives. */
  readonly wanted: number;
  /** Of each device below the take that has weight: its bucket at each level but the last, which are devices. */
  readonly paths: ReadonlyMap<number, Int32Array>;
  /** Share of each device in what the block gives, in items a PG. */
  readonly shares: ReadonlyMap<number, number>;
}

/** Rules of clusters have two or three; of a rule with more only devices are looked at. */
const MAX_LEVELS = 16;

/** The blocks of the rule that a pool has, or none. */
export function roomBlocks(map: OsdMap, pool: Pool, release: number): RoomBlock[] {
  const rule = map.crush.rules[findPoolRule(map.crush, pool, release)];
  if (rule === undefined) return [];
  const index = new MapIndex(map.crush, undefined);
  const weights = weightsInUse(index, map.osdWeight);
  let left = pool.size;
  return ruleBlocks(rule, map.crush.tunables).map(({ take, choices }) => {
    let levels: RoomLevel[] = [];
    for (const choice of choices) {
      const toLeaf = choice.toLeaf && choice.type !== 0;
      levels.push({ type: choice.type, count: choiceCount(choice, pool.size), toLeaf });
      if (toLeaf) levels.push({ type: 0, count: 1, toLeaf: false });
    }
    if (levels.length > MAX_LEVELS) levels = [{ type: 0, count: pool.size, toLeaf: false }];
    const product = levels.reduce((all, { count }) => Math.min(pool.size, all * count), 1);
    const wanted = Math.min(left, product);
    left -= wanted;
    const walk = { index, levels, weights, reweights: map.osdWeight };
    return { take, levels, wanted, paths: pathsBelow(walk, take), shares: sharesBelow(walk, take) };
  });
}

interface Walk {
  readonly index: MapIndex;
  readonly levels: readonly RoomLevel[];
  /** Weight of the devices below each bucket, reweights counted. */
  readonly weights: ReadonlyMap<number, number>;
  readonly reweights: Uint32Array;
}

/** The buckets above each device that has weight, at the levels. A device in several places counts for the first. */
function pathsBelow({ index, levels }: Walk, take: number): Map<number, Int32Array> {
  const found = new Map<number, Int32Array>();
  const deepest = levels.length - 1;
  const seen = new Set<number>();
  const stack = [{ id: take, level: 0, path: new Int32Array(Math.max(0, deepest)) }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { id, level, path } = top;
    if (id >= 0) {
      if (level >= deepest && !found.has(id)) found.set(id, path);
      continue;
    }
    const bucket = index.bucket(id);
    const key = -id * (MAX_LEVELS + 1) + level;
    if (bucket === undefined || seen.has(key)) continue;
    seen.add(key);
    let next = level;
    let below = path;
    if (level < deepest && levels[level]?.type === bucket.type) {
      below = path.slice();
      below[level] = id;
      next++;
    }
    for (let position = bucket.items.length - 1; position >= 0; position--) {
      const item = bucket.items[position] ?? 0;
      if (weightAt(bucket, position) === 0) continue;
      if (item >= 0 || index.child(bucket, position) !== undefined) {
        stack.push({ id: item, level: next, path: below });
      }
    }
  }
  return found;
}

/** Share of each device in one item, by weight; no bucket of a level gets more than one of those chosen there. */
function sharesBelow(walk: Walk, take: number): Map<number, number> {
  const shares = new Map<number, number>();
  if (take >= 0) return shares.set(take, 1);
  let open = new Map([[take, 1]]);
  for (let level = 0; open.size > 0; level++) {
    const { type = 0, count = 1 } = walk.levels[level] ?? {};
    const next = new Map<number, number>();
    for (const [id, share] of open) {
      const found = itemsBelow(walk, id, type);
      const parts = fairParts([...found.values()], Math.max(1, count));
      let at = 0;
      for (const item of found.keys()) {
        const to = item >= 0 ? shares : next;
        to.set(item, (to.get(item) ?? 0) + share * (parts[at++] ?? 0));
      }
    }
    // Beyond the last level only devices are looked for.
    open = next;
  }
  return shares;
}

/** Weight in use of each item of a type below a bucket. */
function itemsBelow({ index, weights, reweights }: Walk, top: number, type: number): Map<number, number> {
  const found = new Map<number, number>();
  const seen = new Set<number>([top]);
  const stack = [top];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const bucket = index.bucket(id);
    if (bucket === undefined) continue;
    for (const [position, item] of bucket.items.entries()) {
      const weight = weightAt(bucket, position);
      if (weight === 0) continue;
      if (item >= 0) {
        if (type === 0) found.set(item, weight * fraction(reweights, item));
        continue;
      }
      const child = index.child(bucket, position);
      if (child === undefined || seen.has(item)) continue;
      seen.add(item);
      if (child.type === type) found.set(item, weights.get(item) ?? 0);
      else stack.push(item);
    }
  }
  return found;
}

/** Weight of the devices below each bucket, as far as they are in. */
function weightsInUse(index: MapIndex, reweights: Uint32Array): Map<number, number> {
  const weights = new Map<number, number>();
  for (const bucket of index.upward) {
    let sum = 0;
    for (const [position, item] of bucket.items.entries()) {
      const weight = weightAt(bucket, position);
      if (weight === 0) continue;
      if (item >= 0) sum += weight * fraction(reweights, item);
      else sum += weights.get(index.child(bucket, position)?.id ?? 0) ?? 0;
    }
    weights.set(bucket.id, sum);
  }
  return weights;
}

function fraction(reweights: Uint32Array, osd: number): number {
  return Math.min(1, (reweights[osd] ?? 0) / 0x10000);
}

/** Parts by weight, together 1, of which none is more than 1 / count. */
function fairParts(weights: readonly number[], count: number): number[] {
  const cap = 1 / count;
  const parts = weights.map(() => 0);
  const open = new Set(weights.keys());
  let left = 1;
  for (;;) {
    const total = [...open].reduce((sum, i) => sum + (weights[i] ?? 0), 0);
    if (total <= 0) return parts;
    const full = [...open].filter((i) => ((weights[i] ?? 0) / total) * left > cap);
    if (full.length === 0) {
      for (const i of open) parts[i] = ((weights[i] ?? 0) / total) * left;
      return parts;
    }
    for (const i of full) {
      parts[i] = cap;
      left -= cap;
      open.delete(i);
    }
  }
}
