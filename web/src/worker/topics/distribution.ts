/** How evenly data lies on OSDs, buckets and device classes. */
import { DistributionCounter, type ShareLevel } from '../../../../src/analysis/distribution.ts';
import { spreadStatistics, type SpreadStatistics } from '../../../../src/analysis/statistics.ts';
import { ITEM_NONE } from '../../../../src/crush/model.ts';
import { itemName, typeName } from '../../../../src/crush/names.ts';
import { CrushError } from '../../../../src/errors.ts';
import type { OsdMap, Pool } from '../../../../src/osdmap/model.ts';
import type { PgColumns } from '../../../../src/osdmap/pg-mapper.ts';
import { findPoolRule } from '../../../../src/osdmap/pool-rule.ts';
import type { OpenDocument } from '../open-document.ts';

/** How evenly the shards of up sets lie. */
export interface DistributionData {
  /** Names of the pools that are counted. */
  readonly pools: readonly string[];
  /** Pools that could not be mapped, and why. */
  readonly failures: readonly { readonly pool: string; readonly reason: string }[];
  readonly pgs: number;
  /** Shards that have an OSD. */
  readonly placed: number;
  /** PGs with fewer OSDs than their pool wants. */
  readonly undersized: number;
  /** OSDs, then bucket types from the lowest up, then classes. */
  readonly levels: readonly DistributionLevel[];
}

/** The rows of one level, in columns. */
export interface DistributionLevel {
  /** `osd`, the name of a bucket type, or `class`. */
  readonly title: string;
  readonly kind: ShareLevel['kind'];
  readonly ids: Int32Array;
  readonly names: readonly string[];
  /** CRUSH weights of the devices that the rules reach, 16.16; of several pools the greatest. */
  readonly weights: Float64Array;
  readonly counts: Float64Array;
  readonly expected: Float64Array;
  /** Standard deviation where it is chance alone that counts differ, see `Share.sigma`. */
  readonly sigmas: Float64Array;
  readonly statistics: SpreadStatistics;
  /** PGs that have two OSDs in one row. */
  readonly crowded: number;
}

interface Row {
  readonly id: number;
  weight: number;
  count: number;
  expected: number;
  variance: number;
}

interface LevelRows {
  readonly kind: ShareLevel['kind'];
  readonly type: number;
  readonly rows: Map<number, Row>;
  crowded: number;
}

/**
 * Measures the current map. Pools are independent, so that their expectations add up, and their variances.
 *
 * @param only - a pool's id; undefined: all pools
 */
export function distribution(document: OpenDocument, only?: number): DistributionData {
  const map = document.current;
  const pools: string[] = [];
  const failures: { pool: string; reason: string }[] = [];
  const levels = new Map<string, LevelRows>();
  const totals = { pgs: 0, placed: 0, undersized: 0 };
  for (const pool of map.pools.values()) {
    if (only !== undefined && pool.id !== only) continue;
    try {
      const measured = measure(map, pool, document.columns(pool.id));
      pools.push(pool.name);
      totals.pgs += pool.pgNum;
      totals.placed += measured.placed;
      for (const [found, count] of measured.sizes) totals.undersized += found < pool.size ? count : 0;
      for (const level of measured.levels) addLevel(levels, level);
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
      failures.push({ pool: pool.name, reason: error.describe() });
    }
  }
  return {
    pools,
    failures,
    ...totals,
    levels: [...levels.values()].sort(byRank).map((each) => columnsOf(map, each)),
  };
}

function measure(map: OsdMap, pool: Pool, columns: PgColumns): ReturnType<DistributionCounter['finish']> {
  const rule = findPoolRule(map.crush, pool, Number.POSITIVE_INFINITY);
  if (rule < 0) throw new CrushError('not-found', `its rule ${pool.crushRule} is not in the map`);
  const counter = new DistributionCounter(map.crush, { rule, size: pool.size, reweights: map.osdWeight });
  counter.add(
    { items: itemsOf(columns, pool.size), lengths: columns.up.lengths, seeds: new Int32Array(0) },
    columns.count,
  );
  return counter.finish();
}

/** Up sets as rows of the pool's size. They are wider where an upmap is longer than the pool's size. */
function itemsOf({ up, width, count }: PgColumns, size: number): Int32Array {
  if (width === size) return up.osds;
  const items = new Int32Array(count * size).fill(ITEM_NONE);
  for (let row = 0; row < count; row++) {
    items.set(up.osds.subarray(row * width, row * width + Math.min(size, width)), row * size);
  }
  return items;
}

function addLevel(levels: Map<string, LevelRows>, { kind, type, rows, crowded }: ShareLevel): void {
  const key = `${kind} ${type}`;
  let level = levels.get(key);
  if (level === undefined) {
    level = { kind, type, rows: new Map(), crowded: 0 };
    levels.set(key, level);
  }
  level.crowded += crowded;
  for (const { id, weight, count, expected, sigma } of rows) {
    const row = level.rows.get(id);
    if (row === undefined) level.rows.set(id, { id, weight, count, expected, variance: sigma ** 2 });
    else {
      row.weight = Math.max(row.weight, weight);
      row.count += count;
      row.expected += expected;
      row.variance += sigma ** 2;
    }
  }
}

const RANK = { device: 0, bucket: 1, class: 2 } as const;

function byRank(a: LevelRows, b: LevelRows): number {
  return RANK[a.kind] - RANK[b.kind] || a.type - b.type;
}

function columnsOf(map: OsdMap, { kind, type, rows, crowded }: LevelRows): DistributionLevel {
  const sorted = [...rows.values()].sort((a, b) => Math.abs(a.id) - Math.abs(b.id));
  const sigmas = Float64Array.from(sorted, ({ variance }) => Math.sqrt(variance));
  const name = (id: number): string =>
    kind === 'class'
      ? (map.crush.classNames.get(id) ?? 'no class')
      : (itemName(map.crush, id) ?? (id < 0 ? String(id) : `osd.${id}`));
  return {
    title:
      kind === 'class'
        ? 'class'
        : (typeName(map.crush, type) ?? (kind === 'device' ? 'osd' : `type ${type}`)),
    kind,
    ids: Int32Array.from(sorted, ({ id }) => id),
    names: sorted.map(({ id }) => name(id)),
    weights: Float64Array.from(sorted, ({ weight }) => weight),
    counts: Float64Array.from(sorted, ({ count }) => count),
    expected: Float64Array.from(sorted, ({ expected }) => expected),
    sigmas,
    statistics: spreadStatistics(
      sorted.map(({ count, expected }, i) => ({ count, expected, sigma: sigmas[i] ?? 0 })),
    ),
    crowded,
  };
}
