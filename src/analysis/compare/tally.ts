/** What a comparison counts. */
import { NOWHERE, type ShardMove } from './movement.ts';

/** PGs left with less than they should have. */
export interface ShortPgs {
  /** PGs with fewer OSDs than the pool's size. */
  readonly degraded: number;
  /** Shards that they lack together. */
  readonly missingShards: number;
  /** PGs with fewer OSDs than the pool's min_size, which serve nothing. */
  readonly belowMinSize: number;
}

/** Counts of a pool, or of all. */
export interface ComparedCounts {
  /** PGs compared; of a pool that is split or merged, those of the finer division. */
  readonly pgs: number;
  /** PGs of which a shard moves, is left without a place, or the primary is another. */
  readonly changedPgs: number;
  /** PGs of which a shard moves. */
  readonly movedPgs: number;
  /** Shards that have an OSD in the map after. */
  readonly shards: number;
  /** Shards that come to an OSD that did not hold them. */
  readonly movedShards: number;
  /** Of those, the ones that no OSD held before: the pool's size grew, or they were missing. */
  readonly newShards: number;
  /** Shards that had an OSD and have none. */
  readonly droppedShards: number;
  /** PGs that are led by another OSD. */
  readonly changedPrimaries: number;
  /** Objects and bytes that are copied with the shards: whole objects in replicated pools, their part in erasure. */
  readonly movedObjects: number;
  /** Bytes that are copied; 0 without a PG dump. */
  readonly movedBytes: number;
  /** PGs with too few OSDs in the map before. */
  readonly before: ShortPgs;
  /** PGs with too few OSDs in the map after. */
  readonly after: ShortPgs;
  /** PGs that keep none of the OSDs they had. */
  readonly replacedPgs: number;
  /** PGs of whose OSDs before so few are up in the map after that their data cannot be read from them. */
  readonly lostPgs: number;
}

/** Counts that grow. */
export type OpenCounts = { -readonly [K in keyof ComparedCounts]: ComparedCounts[K] };

/** PGs and shards of one cause. */
export interface CauseCounts {
  /** PGs that change. */
  readonly pgs: number;
  /** Shards of theirs that move. */
  readonly shards: number;
}

/** Shards that move from one OSD to another. */
export interface ShardFlow {
  /** OSD, or -1 for shards that are new. */
  readonly source: number;
  /** OSD, or -1 for shards that are dropped. */
  readonly target: number;
  /** How many. */
  readonly shards: number;
  /** Objects that are copied with them; 0 without a PG dump. */
  readonly objects: number;
  /** Bytes that are copied with them; 0 without a PG dump. */
  readonly bytes: number;
}

export function emptyCounts(): OpenCounts {
  const short = { degraded: 0, missingShards: 0, belowMinSize: 0 };
  return {
    pgs: 0,
    changedPgs: 0,
    movedPgs: 0,
    shards: 0,
    movedShards: 0,
    newShards: 0,
    droppedShards: 0,
    changedPrimaries: 0,
    movedObjects: 0,
    movedBytes: 0,
    before: short,
    after: short,
    replacedPgs: 0,
    lostPgs: 0,
  };
}

/** Adds counts to others. */
export function addCounts(to: OpenCounts, from: ComparedCounts): void {
  for (const field of NUMBERS) to[field] += from[field];
  for (const side of ['before', 'after'] as const) {
    to[side] = {
      degraded: to[side].degraded + from[side].degraded,
      missingShards: to[side].missingShards + from[side].missingShards,
      belowMinSize: to[side].belowMinSize + from[side].belowMinSize,
    };
  }
}

const NUMBERS = [
  'pgs',
  'changedPgs',
  'movedPgs',
  'shards',
  'movedShards',
  'newShards',
  'droppedShards',
  'changedPrimaries',
  'movedObjects',
  'movedBytes',
  'replacedPgs',
  'lostPgs',
] as const satisfies readonly (keyof ComparedCounts)[];

/** Sums up flows between OSDs. */
export class FlowTable {
  readonly #flows = new Map<
    number,
    { source: number; target: number; shards: number; objects: number; bytes: number }
  >();

  add({ source, target }: ShardMove, objects: number, bytes: number): void {
    // OSD ids have at most 31 bits, far fewer in maps that can be mapped from.
    const key = (source + 1) * 2 ** 26 + (target + 1);
    const flow = this.#flows.get(key) ?? { source, target, shards: 0, objects: 0, bytes: 0 };
    if (flow.shards === 0) this.#flows.set(key, flow);
    flow.shards++;
    if (target === NOWHERE) return;
    flow.objects += objects;
    flow.bytes += bytes;
  }

  /** The flows, those of the most shards first. */
  sorted(): ShardFlow[] {
    return [...this.#flows.values()].sort(
      (a, b) => b.shards - a.shards || a.source - b.source || a.target - b.target,
    );
  }
}
