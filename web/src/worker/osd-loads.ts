/** What OSDs carry, and what their weights say they should. */
import type { CrushMap } from '../../../src/crush/model.ts';
import { MapIndex } from '../../../src/crush/validate/index-of-map.ts';
import { targetsOf } from '../../../src/analysis/targets.ts';
import { CrushError } from '../../../src/errors.ts';
import { OSD_IN, type OsdMap, type Pool } from '../../../src/osdmap/model.ts';
import type { PgColumns } from '../../../src/osdmap/pg-mapper.ts';
import { findPoolRule } from '../../../src/osdmap/pool-rule.ts';
import type { OpenDocument } from './open-document.ts';

/** Loads of all OSDs, by OSD id. */
export interface OsdLoads {
  /** PG shards in up sets. */
  readonly shards: Uint32Array;
  /** PGs of which the OSD is up primary. */
  readonly primaries: Uint32Array;
  /** Shards that the OSD should have by CRUSH weight and reweight, of those that are placed. */
  readonly expected: Float64Array;
  /** Pools that could not be mapped, and why. */
  readonly failures: readonly { readonly pool: number; readonly reason: string }[];
}

/** Of which state of the document. */
export type DocumentSide = 'current' | 'original';

/** Of the last CRUSH maps only: an index takes more than its map, and a history may keep many maps. */
const indexes = new Map<CrushMap, MapIndex>();
const MOST_INDEXES = 2;
const cached = new WeakMap<OsdMap, Map<string, OsdLoads>>();

/**
 * Counts what OSDs carry of a pool, or of all pools.
 *
 * @param pool - a pool's id; undefined: all
 */
export function osdLoads(document: OpenDocument, side: DocumentSide, pool?: number): OsdLoads {
  const map = side === 'current' ? document.current : document.original;
  let byPool = cached.get(map);
  if (byPool === undefined) {
    byPool = new Map<string, OsdLoads>();
    cached.set(map, byPool);
  }
  const key = pool === undefined ? 'all' : String(pool);
  let loads = byPool.get(key);
  if (loads === undefined) byPool.set(key, (loads = countLoads(document, side, map, pool)));
  return loads;
}

function countLoads(
  document: OpenDocument,
  side: DocumentSide,
  map: OsdMap,
  only: number | undefined,
): OsdLoads {
  const length = Math.max(map.maxOsd, map.crush.maxDevices);
  const shards = new Uint32Array(length);
  const primaries = new Uint32Array(length);
  const expected = new Float64Array(length);
  const failures: { pool: number; reason: string }[] = [];
  const index = indexOf(map.crush);
  for (const pool of map.pools.values()) {
    if (only !== undefined && pool.id !== only) continue;
    try {
      const columns = side === 'current' ? document.columns(pool.id) : document.originalColumns(pool.id);
      const placed = countUp(columns, shards, primaries);
      addExpected(map, index, pool, placed, expected);
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
      failures.push({ pool: pool.id, reason: error.describe() });
    }
  }
  return { shards, primaries, expected, failures };
}

/** Most changes leave the CRUSH map as it is. */
function indexOf(crush: CrushMap): MapIndex {
  let index = indexes.get(crush);
  if (index === undefined) {
    const oldest = indexes.keys().next().value;
    if (indexes.size >= MOST_INDEXES && oldest !== undefined) indexes.delete(oldest);
    indexes.set(crush, (index = new MapIndex(crush, undefined)));
  }
  return index;
}

function countUp({ up, count, width }: PgColumns, shards: Uint32Array, primaries: Uint32Array): number {
  let placed = 0;
  for (let row = 0; row < count; row++) {
    const length = up.lengths[row] ?? 0;
    for (let i = row * width; i < row * width + length; i++) {
      const osd = up.osds[i] ?? -1;
      if (osd < 0 || osd >= shards.length) continue;
      shards[osd] = (shards[osd] ?? 0) + 1;
      placed++;
    }
    const primary = up.primaries[row] ?? -1;
    if (primary >= 0 && primary < primaries.length) primaries[primary] = (primaries[primary] ?? 0) + 1;
  }
  return placed;
}

function addExpected(map: OsdMap, index: MapIndex, pool: Pool, placed: number, expected: Float64Array): void {
  const rule = map.crush.rules[findPoolRule(map.crush, pool, Number.POSITIVE_INFINITY)];
  if (rule === undefined) return;
  const reweights = map.osdWeight.map((weight) => Math.min(weight, OSD_IN));
  const { shares } = targetsOf(index, rule, pool.size, reweights);
  for (const [osd, share] of shares.entries()) expected[osd] = (expected[osd] ?? 0) + share * placed;
}
