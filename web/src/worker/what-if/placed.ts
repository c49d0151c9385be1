/** Where the pools of a document lie, as it is now, as it was read, and as it was a moment ago. */
import { CrushError } from '../../../../src/errors.ts';
import type { OsdMap } from '../../../../src/osdmap/model.ts';
import type { PgColumns } from '../../../../src/osdmap/pg-mapper.ts';
import type { DocumentSide } from '../osd-loads.ts';
import type { OpenDocument } from '../open-document.ts';
import { type Moves, type PlacedMap, type PlacedPool, tallyMoves } from './tally.ts';

/** A pool that cannot be mapped, and why. */
export interface PoolFailure {
  readonly pool: number;
  readonly name: string;
  readonly reason: string;
}

/** One side of a document; its columns are only good until the next change. */
export function placedMap(
  document: OpenDocument,
  side: DocumentSide,
): PlacedMap & { readonly failures: readonly PoolFailure[] } {
  const map = side === 'current' ? document.current : document.original;
  const pools = new Map<number, PgColumns>();
  const failures: PoolFailure[] = [];
  for (const { id, name } of map.pools.values()) {
    try {
      pools.set(id, side === 'current' ? document.columns(id) : document.originalColumns(id));
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
      failures.push({ pool: id, name, reason: error.describe() });
    }
  }
  return { map, pools, failures };
}

const moves = new WeakMap<OsdMap, Moves>();

/** What moves from the map as it was read to the current one. */
export function documentMoves(document: OpenDocument): Moves {
  let found = moves.get(document.current);
  if (found === undefined) {
    found = tallyMoves(placedMap(document, 'original'), placedMap(document, 'current'));
    moves.set(document.current, found);
  }
  return found;
}

/** Where the pools of the current map lie, in columns that outlive changes. */
export function keptMap(document: OpenDocument): PlacedMap {
  if (!document.isChanged) return placedMap(document, 'original');
  const { map, pools } = placedMap(document, 'current');
  const copies = new Map<number, PlacedPool>();
  for (const [id, { width, up }] of pools) {
    const { osds, lengths, primaries } = up;
    copies.set(id, {
      width,
      up: { osds: osds.slice(), lengths: lengths.slice(), primaries: primaries.slice() },
    });
  }
  return { map, pools: copies };
}
