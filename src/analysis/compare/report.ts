/** What a comparison of two maps says, in sentences for people, and as JSON and CSV for programs. */
import type { OsdMap } from '../../osdmap/model.ts';
import { formatPgId, primaryJson, setJson, setText } from '../../osdmap/pg-text.ts';
import type { Comparison } from '../compare.ts';
import { noun } from '../noun.ts';
import { snakeCaseJson } from '../snake-case.ts';
import type { BucketFlow } from './flows.ts';
import { NOWHERE } from './movement.ts';
import type { ChangedPg } from './pool.ts';

/** A comparison, with the maps it is of. */
export interface ComparedMaps {
  readonly before: OsdMap;
  readonly after: OsdMap;
  readonly result: Comparison;
  /** Whether a PG dump told what PGs hold. */
  readonly hasUsage: boolean;
}

/** What moves in all, a line each. */
export function* comparisonSummary({ total }: Comparison, hasUsage: boolean): Generator<string> {
  if (total.changedPgs === 0) {
    yield total.pgs === 1
      ? 'nothing moves: the PG stays where it is'
      : `nothing moves: all ${total.pgs} PGs stay where they are`;
  } else {
    const { floor, movedShards } = total;
    yield (
      `${total.movedPgs} of ${total.pgs} ${noun(total.pgs, 'PG')} ${noun(total.movedPgs, 'moves', 'move')}, ` +
      `${movedShards} of ${total.shards} ${noun(total.shards, 'shard')} ` +
      `(${percentText(movedShards, total.shards)})`
    );
    const { changedPrimaries: changed, newShards: created, droppedShards: dropped } = total;
    const hasRatio = movedShards > 0 && floor.shards > 0;
    yield (
      `at least ${floor.shards} ${noun(floor.shards, 'shard has', 'shards have')} to move (${floor.byRule} by the ` +
      `rules, ${floor.byWeight} by the weights)` +
      (hasRatio ? `; what moves is ${ratioText(movedShards, floor.shards)} of that` : '')
    );
    if (hasUsage) {
      const objects = Math.round(total.movedObjects);
      yield `${objects} ${noun(objects, 'object is', 'objects are')} copied, ${bytesText(total.movedBytes)}`;
    }
    yield (
      `${changed} ${noun(changed, 'primary changes', 'primaries change')}; ` +
      `${created} ${noun(created, 'shard is', 'shards are')} new, ` +
      `${dropped} ${noun(dropped, 'is', 'are')} left without an OSD`
    );
  }
  const { before, after } = total;
  yield (
    `PGs with too few OSDs: ${before.degraded} before, ${after.degraded} after ` +
    `(below min_size: ${before.belowMinSize} before, ${after.belowMinSize} after)`
  );
  if (total.lostPgs > 0) yield `PGs of whose former OSDs too few are up to read their data: ${total.lostPgs}`;
  if (total.replacedPgs > 0) yield `PGs that keep none of their OSDs: ${total.replacedPgs}`;
}

/**
 * A comparison for `JSON.stringify`.
 *
 * @param flowsByType - flows between the buckets of some types, by the type's name; those between OSDs are always there
 * @param pgs - the PGs that change, where they are wanted
 */
export function comparisonJson(
  { before, after, result, hasUsage }: ComparedMaps,
  flowsByType: ReadonlyMap<string, readonly BucketFlow[]>,
  pgs: readonly ChangedPg[] | undefined,
): Record<string, unknown> {
  const { flows, osds, causes, ...rest } = result;
  const { shardsBefore, shardsAfter, primariesBefore, primariesAfter, bytesBefore, bytesAfter } = osds;
  const rows = Array.from(shardsBefore, (count, osd) => ({
    osd,
    shardsBefore: count,
    shardsAfter: shardsAfter[osd] ?? 0,
    primariesBefore: primariesBefore[osd] ?? 0,
    primariesAfter: primariesAfter[osd] ?? 0,
    ...(hasUsage && { bytesBefore: bytesBefore[osd] ?? 0, bytesAfter: bytesAfter[osd] ?? 0 }),
  }));
  return snakeCaseJson({
    epochBefore: before.epoch,
    epochAfter: after.epoch,
    ...rest,
    causes,
    flows: new Map<string, unknown>([...flowsByType, ['osd', flows]]),
    osds: rows,
    ...(pgs !== undefined && { pgs: pgs.map(changedPgJson) }),
  }) as Record<string, unknown>;
}

/** The first line of a table of changed PGs. */
export const CHANGED_PG_CSV_HEAD =
  'pgid,cause,moved_shards,before,before_primary,after,after_primary,objects,bytes\n';

/** A changed PG as a line of CSV. */
export function changedPgCsv(pg: ChangedPg): string {
  const cells = [
    formatPgId(pg.pool, pg.ps),
    pg.cause ?? '',
    copiedShards(pg),
    setText(pg.before, ' '),
    primaryJson(pg.beforePrimary) ?? '',
    setText(pg.after, ' '),
    primaryJson(pg.afterPrimary) ?? '',
    pg.usage === undefined ? '' : Math.round(pg.usage.objects),
    pg.usage === undefined ? '' : Math.round(pg.usage.bytes),
  ];
  return `${cells.join(',')}\n`;
}

/** Shards of a changed PG that come to another OSD. */
export function copiedShards({ moves }: Pick<ChangedPg, 'moves'>): number {
  return moves.filter(({ target }) => target !== NOWHERE).length;
}

/** A part of a whole in percent, for people. */
export function percentText(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}

/** What moves as a multiple of what has to. */
export function ratioText(moved: number, floor: number): string {
  if (floor === 0) return moved === 0 ? 'x1.00' : '-';
  return `x${(moved / floor).toFixed(2)}`;
}

/** Bytes for people, in units of 1024. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(bytes) : bytes.toFixed(1)} ${units[unit] ?? ''}`;
}

function changedPgJson(pg: ChangedPg): Record<string, unknown> {
  return {
    pgid: formatPgId(pg.pool, pg.ps),
    cause: pg.cause ?? null,
    movedShards: copiedShards(pg),
    before: setJson(pg.before),
    beforePrimary: primaryJson(pg.beforePrimary),
    after: setJson(pg.after),
    afterPrimary: primaryJson(pg.afterPrimary),
    ...(pg.usage !== undefined && { objects: pg.usage.objects, bytes: pg.usage.bytes }),
  };
}
