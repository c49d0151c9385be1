/** What becomes of one PG's shards between two sets of OSDs. */
import { ITEM_NONE } from '../../crush/model.ts';

/** No OSD, as source of a shard that is new or as target of one that finds no place. */
export const NOWHERE = -1;

/** A shard that is not where it was. */
export interface ShardMove {
  /** The OSD that held it, or {@link NOWHERE}. */
  readonly source: number;
  /** The OSD that is to hold it, or {@link NOWHERE}: then the PG is left with a shard less. */
  readonly target: number;
}

/**
 * The shards that are not where they were. In order, each position is a shard of its own; else OSDs that leave are
 * paired with those that come, the first with the first.
 */
export function shardMoves(
  before: readonly number[],
  after: readonly number[],
  ordered: boolean,
): ShardMove[] {
  const moves: ShardMove[] = [];
  if (ordered) {
    for (let i = 0; i < Math.max(before.length, after.length); i++) {
      const source = before[i] ?? ITEM_NONE;
      const target = after[i] ?? ITEM_NONE;
      if (source !== target) moves.push({ source: osdOrNowhere(source), target: osdOrNowhere(target) });
    }
    return moves;
  }
  const leaving = before.filter((osd) => osd !== ITEM_NONE && !after.includes(osd));
  const coming = after.filter((osd) => osd !== ITEM_NONE && !before.includes(osd));
  for (let i = 0; i < Math.max(leaving.length, coming.length); i++) {
    moves.push({ source: leaving[i] ?? NOWHERE, target: coming[i] ?? NOWHERE });
  }
  return moves;
}

/** Shards that come to an OSD that did not hold them: what is copied. */
export function movedShards(moves: readonly ShardMove[]): number {
  return moves.reduce((count, { target }) => count + (target === NOWHERE ? 0 : 1), 0);
}

/** OSDs of a set, holes not counted. */
export function filledPlaces(set: readonly number[]): number {
  return set.reduce((count, osd) => count + (osd === ITEM_NONE ? 0 : 1), 0);
}

function osdOrNowhere(osd: number): number {
  return osd === ITEM_NONE ? NOWHERE : osd;
}
