/** Makes changes to an OSDMap, as the monitor makes them when it is told to. */
import { CrushMapEditor } from '../../crush/editor.ts';
import { findRule, ruleName } from '../../crush/names.ts';
import { CrushError } from '../../errors.ts';
import { NO_OSD_INFO, NO_OSD_XINFO, NO_UUID } from '../../osdmap/blank.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_IN,
  OSD_STATE,
  type OsdMap,
  type PgId,
  type PgTable,
  type Pool,
  POOL_TYPE,
} from '../../osdmap/model.ts';
import { changePgTable } from '../../osdmap/pg-tables.ts';
import { findPool } from '../../osdmap/pool-request.ts';
import type { MapChange, PoolChangeField } from './changes.ts';
import { fraction, removeFromCrush, setCrushWeight, setFailureDomain } from './crush-edits.ts';
import { targetOsds } from './targets.ts';

/** Most OSDs that a map can be made to have. */
const MAX_OSDS = 1 << 20;

/**
 * The map after a change; upmaps stay as they are.
 *
 * @throws CrushError for what is not in the map, out of range, or refused by Ceph too
 */
export function applyChange(map: OsdMap, change: MapChange): OsdMap {
  switch (change.kind) {
    case 'out':
      return withWeights(map, targetOsds(map, change.targets), () => 0);
    case 'in':
      // What the monitor marked out by itself comes back with the reweight it had.
      return withWeights(map, targetOsds(map, change.targets), (osd) =>
        map.osdWeight[osd] === 0 ? reweightOnReturn(map, osd) : (map.osdWeight[osd] ?? 0),
      );
    case 'up':
      return withStates(map, targetOsds(map, change.targets), (state) => state | OSD_STATE.up);
    case 'down':
      return withStates(map, targetOsds(map, change.targets), (state) => state & ~OSD_STATE.up);
    case 'reweight': {
      const weight = fraction('a reweight', change.weight);
      return withWeights(map, targetOsds(map, change.targets), () => weight);
    }
    case 'primary-affinity': {
      const affinities = (map.osdPrimaryAffinity ?? fullAffinity(map.maxOsd)).slice();
      const affinity = fraction('a primary affinity', change.weight);
      for (const osd of targetOsds(map, change.targets)) affinities[osd] = affinity;
      return { ...map, osdPrimaryAffinity: affinities };
    }
    case 'crush-weight':
    case 'reweight-subtree': {
      const { kind, name, weight } = change;
      return withCrush(map, setCrushWeight(map.crush, name, weight, kind === 'reweight-subtree'));
    }
    case 'add-osds':
      return addOsds(map, change);
    case 'add-bucket': {
      const { name, type, location } = change;
      return edited(map, (editor) => editor.addBucket({ name, type, ...(location && { location }) }));
    }
    case 'remove':
      return change.targets.reduce(removed, map);
    case 'move':
      return edited(map, (editor) => {
        editor.batch(() => {
          for (const name of change.names) editor.move(osdName(name), change.location);
        });
      });
    case 'device-class': {
      const osds = targetOsds(map, change.targets);
      return edited(map, (editor) => {
        editor.batch(() => {
          for (const osd of osds) editor.setClass(osd, change.deviceClass);
        });
      });
    }
    case 'pool':
      return withPool(map, poolOf(map, change.pool), change.field, change.value);
    case 'failure-domain':
      return withCrush(map, setFailureDomain(map.crush, change.rule, change.type));
    case 'tunables':
      return edited(map, (editor) => {
        editor.setTunables(change.profile);
      });
    case 'crushmap':
      return withCrush(map, change.crush);
    case 'upmap':
      demandPg(map, change.pg);
      demandOsds(map, change.osds);
      return { ...map, pgUpmap: withRow(map.pgUpmap, change.pg, change.osds) };
    case 'upmap-items':
      demandPg(map, change.pg);
      demandOsds(map, change.pairs.flat());
      return { ...map, pgUpmapItems: withRow(map.pgUpmapItems, change.pg, change.pairs) };
    case 'rm-upmap':
      return { ...map, pgUpmap: changePgTable(map.pgUpmap, new Map(), () => false, [change.pg]) };
    case 'rm-upmap-items':
      return { ...map, pgUpmapItems: changePgTable(map.pgUpmapItems, new Map(), () => false, [change.pg]) };
  }
}

function withWeights(map: OsdMap, osds: readonly number[], weightOf: (osd: number) => number): OsdMap {
  const osdWeight = map.osdWeight.slice();
  for (const osd of osds) osdWeight[osd] = weightOf(osd);
  return { ...map, osdWeight };
}

function reweightOnReturn(map: OsdMap, osd: number): number {
  const oldWeight = map.details.osdXInfo[osd]?.oldWeight ?? 0;
  return oldWeight > 0 ? oldWeight : OSD_IN;
}

function withStates(map: OsdMap, osds: readonly number[], stateOf: (state: number) => number): OsdMap {
  const osdState = map.osdState.slice();
  for (const osd of osds) osdState[osd] = stateOf(osdState[osd] ?? 0);
  return { ...map, osdState };
}

function withCrush(map: OsdMap, crush: OsdMap['crush']): OsdMap {
  return { ...map, crush, crushVersion: map.crushVersion + 1 };
}

function edited(map: OsdMap, edit: (editor: CrushMapEditor) => void): OsdMap {
  const editor = CrushMapEditor.from(map.crush);
  edit(editor);
  return withCrush(map, editor.map);
}

/** New OSDs, or such as are only in no bucket yet; they come up and in. */
function addOsds(map: OsdMap, change: Extract<MapChange, { kind: 'add-osds' }>): OsdMap {
  const { osds, weight, deviceClass, location } = change;
  const highest = Math.max(-1, ...osds);
  if (highest >= MAX_OSDS || osds.some((osd) => !Number.isInteger(osd) || osd < 0)) {
    throw new CrushError('bad-argument', `an OSD's id is from 0 to ${MAX_OSDS - 1}`);
  }
  const grown = withMaxOsd(map, Math.max(map.maxOsd, highest + 1));
  const placed = edited(grown, (editor) => {
    editor.batch(() => {
      for (const id of osds) {
        editor.addDevice({ id, weight, location, ...(deviceClass !== undefined && { deviceClass }) });
      }
    });
  });
  const isNew = (osd: number): boolean => ((map.osdState[osd] ?? 0) & OSD_STATE.exists) === 0;
  const started = withStates(placed, osds, (state) => state | OSD_STATE.exists | OSD_STATE.up);
  return withWeights(started, osds.filter(isNew), () => OSD_IN);
}

function withMaxOsd(map: OsdMap, maxOsd: number): OsdMap {
  if (maxOsd <= map.maxOsd) return map;
  const longer = (array: Uint32Array, fill = 0): Uint32Array => {
    const copy = new Uint32Array(maxOsd).fill(fill);
    copy.set(array);
    return copy;
  };
  const padded = <T>(list: readonly T[], blank: T): readonly T[] =>
    list.length === 0 ? list : [...list, ...new Array<T>(Math.max(0, maxOsd - list.length)).fill(blank)];
  const { details } = map;
  return {
    ...map,
    maxOsd,
    osdState: longer(map.osdState),
    osdWeight: longer(map.osdWeight),
    osdPrimaryAffinity: map.osdPrimaryAffinity && longer(map.osdPrimaryAffinity, DEFAULT_PRIMARY_AFFINITY),
    details: {
      ...details,
      clientAddrs: padded(details.clientAddrs, []),
      clusterAddrs: padded(details.clusterAddrs, []),
      hbBackAddrs: padded(details.hbBackAddrs, []),
      hbFrontAddrs: padded(details.hbFrontAddrs, []),
      osdInfo: padded(details.osdInfo, NO_OSD_INFO),
      osdXInfo: padded(details.osdXInfo, NO_OSD_XINFO),
      osdUuid: padded(details.osdUuid, NO_UUID),
    },
  };
}

/** Without an OSD, or a bucket with all below it: out of the hierarchy and of the map. */
function removed(map: OsdMap, target: string): OsdMap {
  const osds = targetOsds(map, [target]);
  const names = /^(?:osd\.)?\d/.test(target) ? osds.map((osd) => `osd.${osd}`) : [target];
  const isHeld = (name: string): boolean => [...map.crush.itemNames.values()].includes(name);
  const crush = names.filter(isHeld).reduce(removeFromCrush, map.crush);
  return withStates(withCrush(map, crush), osds, () => 0);
}

function poolOf(map: OsdMap, text: string): Pool {
  const isName = [...map.pools.values()].some(({ name }) => name === text);
  return findPool(map, !isName && /^\d+$/.test(text) ? Number(text) : text);
}

function withPool(map: OsdMap, pool: Pool, field: PoolChangeField, value: string): OsdMap {
  const pools = new Map(map.pools);
  pools.set(pool.id, { ...pool, ...poolFields(map, pool, field, value) });
  return { ...map, pools };
}

/** What `ceph osd pool set` changes, and refuses. */
function poolFields(map: OsdMap, pool: Pool, field: PoolChangeField, value: string): Partial<Pool> {
  if (field === 'rule') {
    const rule = findRule(map.crush, value);
    // MSR rules have types of their own, 3 and 1 above those of the pools they are for.
    const type = rule.type === 4 ? POOL_TYPE.replicated : rule.type === 5 ? POOL_TYPE.erasure : rule.type;
    if (type === pool.type) return { crushRule: rule.id };
    const kind = pool.type === POOL_TYPE.erasure ? 'erasure' : 'replicated';
    const name = ruleName(map.crush, rule.id) ?? String(rule.id);
    throw new CrushError(
      'refused',
      `pool '${pool.name}' is ${kind}, and rule '${name}' is for pools of the other type`,
    );
  }
  const number = wholeNumber(field, value);
  switch (field) {
    case 'size':
      if (pool.type === POOL_TYPE.erasure) {
        throw new CrushError(
          'refused',
          `the size of an erasure pool such as '${pool.name}' cannot be changed`,
        );
      }
      demandRange(field, number, 1, 10);
      return { size: number, minSize: number - Math.floor(number / 2) };
    case 'min_size':
      demandRange(field, number, 1, pool.size);
      return { minSize: number };
    case 'pg_num': {
      demandRange(field, number, 1, 1 << 28);
      const pgpNum = pool.pgpNum === pool.pgNum ? number : Math.min(pool.pgpNum, number);
      const details = { ...pool.details, pgNumTarget: number, pgNumPending: number, pgpNumTarget: pgpNum };
      return { pgNum: number, pgpNum, details };
    }
    case 'pgp_num':
      demandRange(field, number, 1, pool.pgNum);
      return { pgpNum: number, details: { ...pool.details, pgpNumTarget: number } };
  }
}

function wholeNumber(field: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new CrushError('bad-argument', `${field} is a whole number, not '${text}'`);
}

function demandRange(field: string, value: number, low: number, high: number): void {
  if (value >= low && value <= high) return;
  throw new CrushError('bad-argument', `${field} is from ${low} to ${high} here, not ${value}`);
}

function demandPg(map: OsdMap, { pool, ps }: PgId): void {
  if (ps < findPool(map, pool).pgNum) return;
  throw new CrushError('not-found', `there is no PG ${pool}.${ps.toString(16)}: the pool has fewer`);
}

function demandOsds(map: OsdMap, osds: readonly number[]): void {
  targetOsds(
    map,
    osds.map((osd) => `osd.${osd}`),
  );
}

function withRow<T>(table: PgTable<T>, { pool, ps }: PgId, value: T): PgTable<T> {
  return changePgTable(table, new Map([[pool, new Map([[ps, value]])]]));
}

function fullAffinity(count: number): Uint32Array {
  return new Uint32Array(count).fill(DEFAULT_PRIMARY_AFFINITY);
}

/** `3` stands for `osd.3`. */
function osdName(name: string): string {
  return /^\d+$/.test(name) ? `osd.${name}` : name;
}
