/** A cluster of ten thousand OSDs, made up the same each time. */
import { WEIGHT_ONE } from '../../../src/crush/model.ts';
import { findRule } from '../../../src/crush/names.ts';
import { readCrushText } from '../../../src/formats/crushmap-text.ts';
import { emptyOsdMap, newPool, simpleOsdMap } from '../../../src/osdmap/create.ts';
import { OSD_STATE, type OsdMap, type Pool, POOL_TYPE } from '../../../src/osdmap/model.ts';

const RACKS = 28;
const HOSTS = 20;
const DISKS = 18;
/** Of a host's disks, those that are flash. */
const FLASH = 2;
/** TiB of a rack's spinning disks, rack by rack: bought over the years. All together stay below CRUSH's 32,768. */
const DISK_SIZES = [1.819, 1.819, 2.729, 2.729, 3.638, 3.638, 3.638];
const FLASH_SIZE = 0.873;
/** When the map claims to have been made. */
const CREATED = { sec: 1_760_000_000, nsec: 0 };

/** 10,080 OSDs, up and in but for a few as every large cluster has them; 100,352 PGs. */
export function largeCluster(): OsdMap {
  const crush = readCrushText(crushText());
  const maxOsd = RACKS * HOSTS * DISKS;
  const osdState = new Uint32Array(maxOsd).fill(OSD_STATE.exists | OSD_STATE.up);
  const osdWeight = new Uint32Array(maxOsd).fill(WEIGHT_ONE);
  for (let osd = 97; osd < maxOsd; osd += 1709) {
    osdState[osd] = OSD_STATE.exists;
    osdWeight[osd] = 0;
  }
  for (let osd = 411; osd < maxOsd; osd += 2003) osdWeight[osd] = Math.round(0.85 * WEIGHT_ONE);
  const pool = (id: number, name: string, rule: string, type: number, size: number, pgNum: number): Pool => {
    const minSize = type === POOL_TYPE.erasure ? 9 : 2;
    const made = newPool(id, { name, size, minSize, flags: 1n, pgNum, pgpNum: pgNum, pgAutoscaleMode: 0 });
    return { ...made, type, crushRule: findRule(crush, rule).id };
  };
  const pools = [
    pool(1, 'volumes', 'replicated_hdd', POOL_TYPE.replicated, 3, 65_536),
    pool(2, 'archive', 'erasure_hdd', POOL_TYPE.erasure, 11, 32_768),
    pool(3, 'index', 'replicated_ssd', POOL_TYPE.replicated, 3, 2048),
  ];
  return {
    // Addresses and bookkeeping of that many OSDs.
    ...simpleOsdMap({ maxOsd, osds: [], created: CREATED }),
    epoch: 1,
    pools: new Map(pools.map((each) => [each.id, each])),
    poolMax: BigInt(pools.length),
    flags: emptyOsdMap().flags,
    osdState,
    osdWeight,
    crush,
  };
}

/** The CRUSH map as text: root, racks, hosts, two device classes, three rules. */
function crushText(): string {
  const devices: string[] = [];
  const hosts: string[] = [];
  const racks: string[] = [];
  let bucket = -2;
  for (let rack = 0; rack < RACKS; rack++) {
    const size = DISK_SIZES[rack % DISK_SIZES.length] ?? 1;
    const names: string[] = [];
    for (let host = 0; host < HOSTS; host++) {
      const name = `node${pad(rack * HOSTS + host, 3)}`;
      const items: string[] = [];
      for (let disk = 0; disk < DISKS; disk++) {
        const osd = (rack * HOSTS + host) * DISKS + disk;
        const isFlash = disk >= DISKS - FLASH;
        devices.push(`device ${osd} osd.${osd} class ${isFlash ? 'ssd' : 'hdd'}`);
        items.push(`  item osd.${osd} weight ${isFlash ? FLASH_SIZE : size}`);
      }
      hosts.push(bucketText('host', name, bucket--, items));
      names.push(`  item ${name}`);
    }
    racks.push(bucketText('rack', `rack${pad(rack, 2)}`, bucket--, names));
  }
  const all = Array.from({ length: RACKS }, (_, rack) => `  item rack${pad(rack, 2)}`);
  return [
    'tunable choose_local_tries 0\ntunable choose_local_fallback_tries 0\ntunable choose_total_tries 50',
    'tunable chooseleaf_descend_once 1\ntunable chooseleaf_vary_r 1\ntunable chooseleaf_stable 1',
    'tunable straw_calc_version 1\ntunable allowed_bucket_algs 54',
    ...devices,
    'type 0 osd\ntype 1 host\ntype 3 rack\ntype 11 root',
    ...hosts,
    ...racks,
    bucketText('root', 'default', -1, all),
    ruleText(0, 'replicated_hdd', 'replicated', 'hdd', 'step chooseleaf firstn 0 type rack'),
    ruleText(
      1,
      'erasure_hdd',
      'erasure',
      'hdd',
      'step set_chooseleaf_tries 5\n  step set_choose_tries 100',
      'step chooseleaf indep 0 type rack',
    ),
    ruleText(2, 'replicated_ssd', 'replicated', 'ssd', 'step chooseleaf firstn 0 type host'),
    '',
  ].join('\n');
}

function bucketText(type: string, name: string, id: number, items: readonly string[]): string {
  return [`${type} ${name} {`, `  id ${id}`, '  alg straw2', '  hash 0', ...items, '}'].join('\n');
}

/** A rule; with three steps, the first is set before the take. */
function ruleText(id: number, name: string, type: string, deviceClass: string, ...steps: string[]): string {
  const [before, choose] = steps.length > 1 ? steps : [undefined, steps[0]];
  return [
    `rule ${name} {`,
    `  id ${id}`,
    `  type ${type}`,
    ...(before === undefined ? [] : [`  ${before}`]),
    `  step take default class ${deviceClass}`,
    `  ${choose ?? ''}`,
    '  step emit',
    '}',
  ].join('\n');
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
