/** What a map file is and what is in it, as plain data: what `crush-wasm info` and the page's summary tell. */
import { BUCKET_ALGORITHM, RULE_TYPE, type CrushMap } from '../crush/model.ts';
import { isShadow, itemName, ruleName, typeName } from '../crush/names.ts';
import { ruleStepText, ruleTypeName } from '../crush/rule-text.ts';
import { tunablesProfile } from '../crush/tunables.ts';
import type { MapFile } from '../formats/detect.ts';
import { NEWEST_RELEASE, RELEASE_NAMES } from '../formats/releases.ts';
import { minCompatClient } from '../osdmap/compat.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_IN,
  OSD_STATE,
  POOL_FLAG,
  type OsdMap,
  type PgTable,
  type Pool,
} from '../osdmap/model.ts';
import { findPoolRule } from '../osdmap/pool-rule.ts';
import {
  formatClusterFlags,
  formatPoolFlags,
  formatTime,
  formatUuid,
  poolTypeName,
} from '../osdmap/ceph-format.ts';
import { noun } from './noun.ts';

/** Whether the stored checksum fits the content; `none` where the encoding has none. */
export type CrcState = 'ok' | 'wrong' | 'none';

/** Everything about a file. */
export interface MapFacts {
  readonly kind: 'osdmap' | 'crushmap';
  /** How the file is encoded, in words. */
  readonly encoding: string;
  readonly osdmap?: OsdMapFacts;
  readonly crush: CrushFacts;
  /** What shapes placement beyond the plain rules. */
  readonly features: readonly string[];
}

/** The OSDMap without its CRUSH map. */
export interface OsdMapFacts {
  readonly epoch: number;
  readonly fsid: string;
  readonly created: string;
  readonly modified: string;
  readonly crc: CrcState;
  readonly release: string;
  readonly minCompatClient: string;
  readonly flags: readonly string[];
  readonly osds: {
    readonly max: number;
    readonly exist: number;
    readonly up: number;
    readonly in: number;
    readonly reweighted: number;
    readonly withPrimaryAffinity: number;
  };
  readonly pools: readonly PoolFacts[];
}

/** One pool. */
export interface PoolFacts {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly minSize: number;
  readonly pgNum: number;
  readonly pgpNum: number;
  /** The rule's number; -1 where the pool has none. */
  readonly rule: number;
  /** The rule's name; empty where it has none. */
  readonly ruleName: string;
  readonly flags: readonly string[];
}

/** The CRUSH map. */
export interface CrushFacts {
  readonly devices: number;
  readonly buckets: number;
  readonly shadowBuckets: number;
  readonly byType: ReadonlyMap<string, number>;
  readonly byAlgorithm: ReadonlyMap<string, number>;
  /** Devices of each class. */
  readonly classes: ReadonlyMap<string, number>;
  readonly chooseArgs: readonly number[];
  readonly tunables: CrushMap['tunables'];
  /** The profile the tunables equal, if any. */
  readonly profile: string | undefined;
  readonly rules: readonly RuleFacts[];
}

/** One rule. */
export interface RuleFacts {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly steps: readonly string[];
}

/** Gathers the facts of a file. */
export function mapFacts(file: MapFile, crc: CrcState): MapFacts {
  if (file.kind === 'crushmap') {
    const encoding = file.encoding === 'json' ? "JSON of 'ceph osd crush dump'" : file.encoding;
    return { kind: 'crushmap', encoding, crush: crushFacts(file.map), features: crushFeatures(file.map) };
  }
  const { map } = file;
  return {
    kind: 'osdmap',
    encoding: osdMapEncoding(file.encoding, map),
    osdmap: osdMapFacts(map, crc),
    crush: crushFacts(map.crush),
    features: [...crushFeatures(map.crush), ...osdMapFeatures(map)],
  };
}

function osdMapEncoding(encoding: 'binary' | 'json' | 'report', { details }: OsdMap): string {
  if (encoding === 'report') return "JSON of 'ceph report'";
  if (encoding === 'json') return "JSON of 'ceph osd dump'";
  if (details.encoding === 'classic')
    return `binary, classic (before 2013), version ${details.clientVersion}`;
  return `binary, client section ${details.clientVersion}, osd section ${details.osdVersion}`;
}

function osdMapFacts(map: OsdMap, crc: CrcState): OsdMapFacts {
  const { details } = map;
  const hasState = (osd: number, bits: number): boolean => ((map.osdState[osd] ?? 0) & bits) !== 0;
  const count = (test: (osd: number) => boolean): number => {
    let n = 0;
    for (let osd = 0; osd < map.maxOsd; osd++) {
      if (hasState(osd, OSD_STATE.exists) && test(osd)) n++;
    }
    return n;
  };
  const weight = (osd: number): number => map.osdWeight[osd] ?? 0;
  const affinity = (osd: number): number => map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
  return {
    epoch: map.epoch,
    fsid: formatUuid(map.fsid),
    created: formatTime(map.created),
    modified: formatTime(map.modified),
    crc,
    release: RELEASE_NAMES[details.requireOsdRelease] ?? String(details.requireOsdRelease),
    minCompatClient: minCompatClient(map, NEWEST_RELEASE),
    flags: words(formatClusterFlags(map.flags, NEWEST_RELEASE)),
    osds: {
      max: map.maxOsd,
      exist: count(() => true),
      up: count((osd) => hasState(osd, OSD_STATE.up)),
      in: count((osd) => weight(osd) !== 0),
      reweighted: count((osd) => weight(osd) !== 0 && weight(osd) !== OSD_IN),
      withPrimaryAffinity: count((osd) => affinity(osd) !== DEFAULT_PRIMARY_AFFINITY),
    },
    pools: [...map.pools.values()].map((pool) => poolFacts(map, pool)),
  };
}

/** Gathers the facts of a pool. */
export function poolFacts(map: OsdMap, pool: Pool): PoolFacts {
  const rule = findPoolRule(map.crush, pool, NEWEST_RELEASE);
  return {
    id: pool.id,
    name: pool.name,
    type: poolTypeName(pool),
    size: pool.size,
    minSize: pool.minSize,
    pgNum: pool.pgNum,
    pgpNum: pool.pgpNum,
    rule,
    ruleName: ruleName(map.crush, rule) ?? '',
    flags: words(formatPoolFlags(pool.flags, NEWEST_RELEASE)),
  };
}

/** The rule of a pool for people: its name, else its number, else `none`. */
export function poolRuleTitle({ rule, ruleName }: PoolFacts): string {
  if (rule < 0) return 'none';
  return ruleName === '' ? String(rule) : ruleName;
}

function crushFacts(map: CrushMap): CrushFacts {
  const buckets = map.buckets.filter((bucket) => bucket !== undefined);
  const shown = buckets.filter(({ id }) => !isShadow(map, id));
  const algorithms = Object.entries(BUCKET_ALGORITHM);
  const devices = new Set<number>();
  for (const { items } of buckets) {
    for (const item of items) if (item >= 0) devices.add(item);
  }
  const classes = [...devices].map((device) => map.itemClasses.get(device)).filter((id) => id !== undefined);
  return {
    devices: devices.size,
    buckets: shown.length,
    shadowBuckets: buckets.length - shown.length,
    byType: tally(shown.map(({ type }) => typeName(map, type) ?? `type ${type}`)),
    byAlgorithm: tally(shown.map(({ alg }) => algorithms.find(([, number]) => number === alg)?.[0] ?? '?')),
    classes: tally(classes.map((id) => map.classNames.get(id) ?? `class ${id}`)),
    chooseArgs: [...map.chooseArgs.keys()],
    tunables: map.tunables,
    profile: tunablesProfile(map.tunables),
    rules: map.rules
      .filter((rule) => rule !== undefined)
      .map((rule) => ({
        id: rule.id,
        name: map.ruleNames.get(rule.id) ?? '',
        type: ruleTypeName(rule),
        steps: rule.steps.map((step) => ruleStepText(map, step)),
      })),
  };
}

function crushFeatures(map: CrushMap): string[] {
  const features: string[] = [];
  const buckets = map.buckets.filter((bucket) => bucket !== undefined);
  const straw2 = buckets.filter(({ alg }) => alg === BUCKET_ALGORITHM.straw2).length;
  if (straw2 > 0) features.push(straw2 === buckets.length ? 'straw2 buckets only' : 'straw2 buckets');
  if (map.classBuckets.size > 0) features.push('device classes');
  for (const [index, args] of map.chooseArgs) {
    const whose = index === -1 ? 'every pool without its own' : `pool ${index}`;
    features.push(`choose_args for ${whose} (${args.size} ${noun(args.size, 'bucket')})`);
  }
  const msr = map.rules.filter(
    (rule) => rule?.type === RULE_TYPE.msrFirstn || rule?.type === RULE_TYPE.msrIndep,
  );
  if (msr.length > 0) features.push(`MSR rules (${msr.map((rule) => rule?.id).join(', ')})`);
  const unnamed = buckets.filter(({ id }) => itemName(map, id) === undefined).length;
  if (unnamed > 0) features.push(`${unnamed} ${noun(unnamed, 'bucket')} without a name`);
  return features;
}

function osdMapFeatures(map: OsdMap): string[] {
  const features: string[] = [];
  const tables: readonly (readonly [string, PgTable<unknown>])[] = [
    ['pg_upmap', map.pgUpmap],
    ['pg_upmap_items', map.pgUpmapItems],
    ['pg_upmap_primary', map.pgUpmapPrimaries],
    ['pg_temp', map.pgTemp],
    ['primary_temp', map.primaryTemp],
  ];
  for (const [name, table] of tables) {
    const pgs = [...table.values()].reduce((sum, each) => sum + each.size, 0);
    if (pgs > 0) features.push(`${name} of ${pgs} ${noun(pgs, 'PG')}`);
  }
  const pools = [...map.pools.values()];
  const plain = pools.filter(({ flags }) => (flags & POOL_FLAG.hashpspool) === 0n).length;
  if (plain > 0) features.push(`${plain} ${noun(plain, 'pool')} without hashpspool`);
  const optimized = pools.filter(({ flags }) => (flags & POOL_FLAG.ecOptimizations) !== 0n).length;
  if (optimized > 0) features.push(`${optimized} ${noun(optimized, 'pool')} with ec_optimizations`);
  if (map.osdPrimaryAffinity?.some((affinity) => affinity !== DEFAULT_PRIMARY_AFFINITY) === true) {
    features.push('primary affinity');
  }
  if (map.details.stretchModeEnabled) features.push('stretch mode');
  return features;
}

function tally(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function words(list: string): string[] {
  return list === '' ? [] : list.split(',');
}
