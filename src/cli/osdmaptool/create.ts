/** `osdmaptool --createsimple` and `--create-from-conf`: new maps. */
import { POOL_FLAG, type OsdMap, type UTime } from '../../osdmap/model.ts';
import { simpleOsdMap, type PlacedOsd } from '../../osdmap/create.ts';
import { CommandExit } from '../io.ts';
import { PACIFIC } from '../release-option.ts';
import { poolSettingsOf, type CephConf, type PoolSettings } from './settings.ts';
import type { OsdmaptoolOptions } from './options.ts';

/** Highest number of an OSD that a monitor takes from a configuration file (`mon_max_osd`). */
const MOST_OSDS = 10_000;

/** Most OSDs of `--createsimple`: all go to one host, whose weight has no room for more. */
const MOST_SIMPLE_OSDS = 32_767;

/** The highest type of bucket that a new map knows. */
const ROOT_TYPE = 11;

/** Types of buckets that a section of an OSD may name, and what stands for them where it must. */
const LOCATION: readonly (readonly [name: string, otherwise: string])[] = [
  ['host', 'unknownhost'],
  ['rack', 'unknownrack'],
  ['row', ''],
  ['room', ''],
  ['datacenter', ''],
];

/** Makes the map that the options ask for, its epoch 0. */
export function createMap(options: OsdmaptoolOptions, conf: CephConf, now: UTime): OsdMap {
  const settings: PoolSettings = { ...poolSettingsOf(conf), ...options.settings };
  const osds = options.createSimple ? simpleOsds(options.osdCount) : osdsOfConf(conf);
  const maxOsd = options.createSimple
    ? options.osdCount
    : osds.reduce((most, { id }) => Math.max(most, id), 0) + 1;
  const chooseleafType = settings.osd_crush_chooseleaf_type;
  if (chooseleafType !== undefined && (chooseleafType < 0 || chooseleafType > ROOT_TYPE)) {
    // The original aborts.
    const range = `give one of 0 to ${ROOT_TYPE}`;
    throw new CommandExit(
      1,
      `osdmaptool: osd_crush_chooseleaf_type ${chooseleafType} is no type; ${range}\n`,
    );
  }
  return simpleOsdMap({
    maxOsd,
    osds,
    created: now,
    // Rules of Pacific are for 1 to 10 replicas.
    ...(options.release <= PACIFIC ? { ruleSizes: { min: 1, max: 10 } } : {}),
    ...(chooseleafType === undefined ? {} : { chooseleafType }),
    ...(options.withDefaultPool ? { pool: defaultPool(options, settings, maxOsd) } : {}),
  });
}

function simpleOsds(count: number): PlacedOsd[] {
  if (count < 1) throw new CommandExit(1, 'osdmaptool: osd count must be > 0\n');
  if (count > MOST_SIMPLE_OSDS) {
    throw new CommandExit(1, `osdmaptool: osd count must be <= ${MOST_SIMPLE_OSDS}\n`);
  }
  const location = { host: 'localhost', rack: 'localrack' };
  return Array.from({ length: count }, (_, id) => ({ id, location }));
}

/** The OSDs that have a section, in the order of the sections' names. */
function osdsOfConf(conf: CephConf): PlacedOsd[] {
  const osds: PlacedOsd[] = [];
  const common = conf.get('osd');
  for (const [section, values] of conf) {
    const digits = /^osd\.([0-9]+)$/.exec(section)?.[1];
    if (digits === undefined) continue;
    const id = Number(digits);
    if (id > MOST_OSDS) {
      throw new CommandExit(1, `osdmaptool: [${section}] is of an OSD above mon_max_osd ${MOST_OSDS}\n`);
    }
    const location: Record<string, string> = {};
    for (const [name, otherwise] of LOCATION) {
      // What is said of all OSDs comes before what is said of one.
      const bucket = common?.get(name) ?? values.get(name) ?? '';
      if (bucket !== '' || otherwise !== '') location[name] = bucket === '' ? otherwise : bucket;
    }
    osds.push({ id, location });
  }
  return osds;
}

function defaultPool({ pgBits, pgpBits }: OsdmaptoolOptions, settings: PoolSettings, maxOsd: number) {
  const size = settings.osd_pool_default_size ?? 3;
  const minSize = settings.osd_pool_default_min_size ?? 0;
  const base = Math.max(1, maxOsd);
  const mode = ['off', 'warn', 'on'].indexOf(settings.osd_pool_default_pg_autoscale_mode ?? 'on');
  return {
    name: 'rbd',
    size,
    minSize: minSize > 0 ? Math.min(minSize, size) : size - Math.floor(size / 2),
    flags: settings.osd_pool_default_flag_hashpspool === false ? 0n : POOL_FLAG.hashpspool,
    pgNum: pgCount(base, pgBits),
    pgpNum: pgCount(base, Math.min(pgBits, pgpBits)),
    pgAutoscaleMode: mode,
  };
}

/** PGs for so many OSDs; the original shifts into nowhere where this says so. */
function pgCount(base: number, bits: number): number {
  const count = base * 2 ** bits;
  if (bits >= 0 && count <= 0x7fffffff) return count;
  throw new CommandExit(1, `osdmaptool: ${bits} bits for ${base} OSDs give no number of PGs\n`);
}
