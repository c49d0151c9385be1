/** Temporary mappings that a monitor takes away by itself. Follows `OSDMap::clean_temps` (Ceph's src/osd/OSDMap.cc). */
import { ITEM_NONE } from '../crush/model.ts';
import { DEFAULT_PRIMARY_AFFINITY, OSD_STATE, type OsdMap, type PgId } from './model.ts';
import { PgMapper, type PgMapperOptions, type PgMapping } from './pg-mapper.ts';
import { changePgTable, pgRows } from './pg-tables.ts';
import { upmappedSet } from './upmap-cleanup.ts';

/**
 * The map without pg_temp and primary_temp entries that are of no use: of PGs that do not exist, of OSDs that are down,
 * longer than their pool's size, or the same as what would be without them.
 *
 * @throws CrushError as {@link PgMapper} does
 */
export function cleanTemps(map: OsdMap, options: PgMapperOptions = {}): OsdMap {
  if (map.pgTemp.size === 0 && map.primaryTemp.size === 0) return map;
  const mapper = new PgMapper(map, options);
  const mapped = ({ pool, ps }: PgId): PgMapping | undefined =>
    map.pools.has(pool) ? mapper.mapPg(pool, ps) : undefined;
  const isDown = (osd: number): boolean => !isUp(map, osd);

  const oldTemps: PgId[] = [];
  for (const [pg, osds] of pgRows(map.pgTemp)) {
    const pool = map.pools.get(pg.pool);
    const isUseless =
      pool === undefined ||
      pg.ps >= pool.pgNum ||
      osds.every(isDown) ||
      osds.length > pool.size ||
      String(mapped(pg)?.up) === String(osds);
    if (isUseless) oldTemps.push(pg);
  }
  const oldPrimaries: PgId[] = [];
  for (const [pg, primary] of pgRows(map.primaryTemp)) {
    const mapping = mapped(pg);
    const isUseless =
      isDown(primary) || mapping === undefined || mapping.actingPrimary === primaryWithoutTemps(map, mapping);
    if (isUseless) oldPrimaries.push(pg);
  }
  return {
    ...map,
    pgTemp: changePgTable(map.pgTemp, new Map(), undefined, oldTemps),
    primaryTemp: changePgTable(map.primaryTemp, new Map(), undefined, oldPrimaries),
  };
}

/** The primary of a PG as `OSDMap::pg_to_raw_up` has it: the first of the rule's choice, whether it is up or not. */
function primaryWithoutTemps(map: OsdMap, { pgid, raw, up, upPrimary }: PgMapping): number {
  const affinityOf = (osd: number): number => map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
  if (up.some((osd) => osd !== ITEM_NONE && affinityOf(osd) !== DEFAULT_PRIMARY_AFFINITY)) return upPrimary;
  const whole = map.pgUpmap.get(pgid.pool)?.get(pgid.ps);
  const pairs = map.pgUpmapItems.get(pgid.pool)?.get(pgid.ps);
  return upmappedSet(map, raw, whole, pairs).find((osd) => osd !== ITEM_NONE) ?? -1;
}

function isUp(map: OsdMap, osd: number): boolean {
  const wanted = OSD_STATE.exists | OSD_STATE.up;
  return ((map.osdState[osd] ?? 0) & wanted) === wanted;
}
