/**
 * Reads the JSON of `ceph pg dump`: how much is in each PG, and how large and full each OSD is.
 */
import * as v from 'valibot';
import { CrushError } from '../errors.ts';
import type { PgDump } from '../osdmap/pg-usage.ts';
import { parsePgId } from './ceph-text.ts';
import { checkShape, demandParsed } from './json-input.ts';
import { buildPgTable } from './pg-table.ts';

const count = v.pipe(v.number(), v.minValue(0));

const pgShape = v.object({
  pgid: v.string(),
  stat_sum: v.object({ num_objects: count, num_bytes: count }),
});

const osdShape = v.object({
  osd: v.pipe(v.number(), v.integer(), v.minValue(0)),
  kb: v.optional(count, 0),
  kb_used: v.optional(count, 0),
});

const statsShape = v.object({
  pg_stats: v.array(pgShape),
  osd_stats: v.optional(v.array(osdShape), []),
});

/**
 * Reads the parsed JSON of `ceph pg dump -f json`, in the form of today (`pg_map.pg_stats`) and of before 2019
 * (`pg_stats`).
 *
 * @throws CrushError `malformed`, with the path of what does not fit
 * @example
 * ```ts
 * const { pgs } = readPgDump(JSON.parse(text));
 * console.log(pgs.get(2)?.get(0x1f)?.bytes);
 * ```
 */
export function readPgDump(json: unknown): PgDump {
  demandParsed(json, 'readPgDump');
  const holder = typeof json === 'object' && json !== null ? (json as { pg_map?: unknown }) : {};
  const isNested = holder.pg_map !== undefined;
  const stats = checkShape(statsShape, isNested ? holder.pg_map : json, isNested ? 'dump.pg_map' : 'dump');
  const pgs = stats.pg_stats.map(({ pgid, stat_sum }, i) => {
    const pg = parsePgId(pgid);
    if (pg === undefined) {
      throw new CrushError('malformed', `'${pgid}' is no PG, such as 4.1f`, { path: `pg_stats[${i}].pgid` });
    }
    return { pg, value: { objects: stat_sum.num_objects, bytes: stat_sum.num_bytes } };
  });
  return {
    pgs: buildPgTable(pgs, (reason) => {
      throw new CrushError('malformed', reason, { path: 'pg_stats' });
    }),
    osds: new Map(
      stats.osd_stats.map(({ osd, kb, kb_used }) => [osd, { total: kb * 1024, used: kb_used * 1024 }]),
    ),
  };
}
