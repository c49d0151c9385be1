/** A cluster of rows, racks and hosts with one erasure pool, as large as a test wants it. */
import { CrushMapEditor } from '../src/crush/editor.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { OSD_IN, OSD_STATE, type OsdMap, POOL_FLAG, POOL_TYPE } from '../src/osdmap/model.ts';
import { PgMapper } from '../src/osdmap/pg-mapper.ts';
import { RuleRoom } from '../src/osdmap/rule-room.ts';
import { cleanUpmaps } from '../src/osdmap/upmap-cleanup.ts';
import { fixture } from './fixtures.ts';
import type { Random } from './random.ts';

/** How large. */
export interface RowCluster {
  /** Rows are in the hierarchy from the start, or racks hang below the root. */
  readonly hasRows: boolean;
  readonly rows: number;
  readonly racksPerRow: number;
  readonly hostsPerRack: number;
  readonly osdsPerHost: number;
  readonly dataShards: number;
  readonly codingShards: number;
  readonly pgNum: number;
}

/** 1,600 OSDs: 20 racks of 10 hosts of 8, in 10 rows; a pool of 6 + 2 with 16,384 PGs. */
export const LARGE: RowCluster = {
  hasRows: true,
  rows: 10,
  racksPerRow: 2,
  hostsPerRack: 10,
  osdsPerHost: 8,
  dataShards: 6,
  codingShards: 2,
  pgNum: 16_384,
};

export function rackName(rack: number): string {
  return `rack${rack}`;
}

/** The cluster, its pool `ec` with the rule `ec` and the failure domain rack. */
export function rowCluster(size: RowCluster): OsdMap {
  const editor = CrushMapEditor.empty();
  let osd = 0;
  editor.batch(() => {
    for (let rack = 0; rack < size.rows * size.racksPerRow; rack++) {
      const row = size.hasRows ? { row: `row${Math.floor(rack / size.racksPerRow)}` } : {};
      for (let host = 0; host < size.hostsPerRack; host++) {
        for (let i = 0; i < size.osdsPerHost; i++) {
          const location = { host: `host${rack}-${host}`, rack: rackName(rack), ...row, root: 'default' };
          editor.addDevice({ id: osd++, weight: 4, location });
        }
      }
    }
  });
  const rule = editor.addRule({ name: 'ec', root: 'default', failureDomain: 'rack', kind: 'erasure' });
  const model = readOsdMapBinary(fixture('simple3.osdmap'));
  const [pool] = model.pools.values();
  const { dataShards, codingShards, pgNum } = size;
  return {
    ...model,
    maxOsd: osd,
    osdState: new Uint32Array(osd).fill(OSD_STATE.exists | OSD_STATE.up),
    osdWeight: new Uint32Array(osd).fill(OSD_IN),
    osdPrimaryAffinity: undefined,
    crush: editor.map,
    pools: new Map([
      [
        1,
        {
          ...pool!,
          id: 1,
          name: 'ec',
          type: POOL_TYPE.erasure,
          size: dataShards + codingShards,
          minSize: dataShards + 1,
          crushRule: rule,
          pgNum,
          pgpNum: pgNum,
          flags: POOL_FLAG.hashpspool,
          details: { ...pool!.details, pgNumPending: pgNum, erasureCodeProfile: 'ec' },
        },
      ],
    ]),
    erasureCodeProfiles: new Map([
      [
        'ec',
        new Map([
          ['k', String(dataShards)],
          ['m', String(codingShards)],
        ]),
      ],
    ]),
  };
}

/** The map with upmaps that move one shard each to another OSD in its rack, as a balancer's would. */
export function withBalancerUpmaps(map: OsdMap, count: number, random: Random): OsdMap {
  const pool = map.pools.get(1)!;
  const mapper = new PgMapper(map);
  const room = new RuleRoom(map, pool);
  const items = new Map<number, [number, number][]>();
  const perRack =
    map.maxOsd / new Set([...map.crush.itemNames.values()].filter((n) => n.startsWith('rack'))).size;
  for (let tries = 0; items.size < count && tries < 4 * count; tries++) {
    const ps = random.below(pool.pgNum);
    const { raw } = mapper.mapPg(1, ps);
    const at = random.below(raw.length);
    const from = raw[at]!;
    const to = Math.floor(from / perRack) * perRack + random.below(perRack);
    if (raw.includes(to) || items.has(ps) || !room.passesMonitor(raw.with(at, to))) continue;
    items.set(ps, [[from, to]]);
  }
  return cleanUpmaps({ ...map, pgUpmapItems: new Map([[1, new Map([...items].sort(([a], [b]) => a - b))]]) });
}
