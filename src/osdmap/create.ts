/** New OSDMaps: an empty one, and one with a simple hierarchy. Follows `OSDMap::build_simple_optioned`. */
import { makeBucket } from '../crush/bucket.ts';
import { CrushDraft } from '../crush/draft.ts';
import { addBucket } from '../crush/edit/bucket-table.ts';
import { insertItem } from '../crush/edit/hierarchy.ts';
import { addSimpleRule } from '../crush/edit/rules.ts';
import { adjustItemWeight } from '../crush/edit/weights.ts';
import { RULE_TYPE, WEIGHT_ONE, type CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { NO_OSD_INFO, NO_OSD_XINFO, NO_TIME, NO_UUID } from './blank.ts';
import { OBJECT_HASH, POOL_TYPE, type EntityAddrVec, type OsdMap, type Pool, type UTime } from './model.ts';

/** An OSD of a new map. */
export interface PlacedOsd {
  readonly id: number;
  /** Name of a bucket by its type, without the root; OSDs in a row that share this object are added at once. */
  readonly location: Readonly<Record<string, string>>;
}

/** What a new map is made of. */
export interface SimpleMapOptions {
  readonly maxOsd: number;
  readonly osds: Iterable<PlacedOsd>;
  readonly created: UTime;
  /** Number of the bucket type that a PG's OSDs must not share; default: 1, `host`. */
  readonly chooseleafType?: number;
  /** What the rule says of the sizes of pools; see the rule's `minSize`. Default: 1 and 100. */
  readonly ruleSizes?: { readonly min: number; readonly max: number };
  /** A pool of this name, kind and size, or none. */
  readonly pool?: SimplePool;
}

/** The pool of a new map. */
export interface SimplePool {
  readonly name: string;
  readonly size: number;
  readonly minSize: number;
  readonly flags: bigint;
  readonly pgNum: number;
  readonly pgpNum: number;
  /** 0 off, 1 warn, 2 on. */
  readonly pgAutoscaleMode: number;
}

/** Names of bucket types, from 0 on. */
const TYPE_NAMES = 'osd host chassis rack row pdu pod room datacenter zone region root'.split(' ');
const ROOT_TYPE = 11;

/** OSDs of weight 1 whose weights add up within 16.16 bits with a sign. */
const MOST_IN_BUCKET = 32767;

/** What a cluster without a profile of its own takes for erasure-coded pools. */
const DEFAULT_PROFILE = new Map([
  ['k', '2'],
  ['m', '2'],
  ['plugin', 'jerasure'],
  ['technique', 'reed_sol_van'],
]);

/** The map of no cluster: epoch 0, no OSDs, no pools. */
export function emptyOsdMap(): OsdMap {
  return {
    fsid: NO_UUID,
    epoch: 0,
    created: NO_TIME,
    modified: NO_TIME,
    flags: 0,
    pools: new Map(),
    poolMax: 0n,
    maxOsd: 0,
    osdState: new Uint32Array(0),
    osdWeight: new Uint32Array(0),
    osdPrimaryAffinity: undefined,
    pgTemp: new Map(),
    primaryTemp: new Map(),
    pgUpmap: new Map(),
    pgUpmapItems: new Map(),
    pgUpmapPrimaries: new Map(),
    crush: CrushDraft.empty().finish(),
    crushVersion: 1,
    erasureCodeProfiles: new Map(),
    details: {
      encoding: 'binary',
      clientVersion: 0,
      osdVersion: 0,
      crc: undefined,
      newRemovedSnaps: new Map(),
      newPurgedSnaps: new Map(),
      lastUpChange: NO_TIME,
      lastInChange: NO_TIME,
      clientAddrs: [],
      clusterAddrs: [],
      hbBackAddrs: [],
      hbFrontAddrs: [],
      osdInfo: [],
      osdXInfo: [],
      osdUuid: [],
      blocklist: [],
      rangeBlocklist: [],
      clusterSnapshotEpoch: 0,
      clusterSnapshot: '',
      nearfullRatio: 0,
      fullRatio: 0,
      backfillfullRatio: 0,
      requireMinCompatClient: 0,
      requireOsdRelease: 0,
      removedSnapsQueue: new Map(),
      crushNodeFlags: new Map(),
      deviceClassFlags: new Map(),
      stretchModeEnabled: false,
      stretchBucketCount: 0,
      degradedStretchMode: 0,
      recoveringStretchMode: 0,
      stretchModeBucket: 0,
      allowCrimson: false,
    },
  };
}

/**
 * A map of OSDs that weigh 1.0 each and are not there yet, in one root, with a replicated rule; its epoch is 0.
 *
 * @throws CrushError for names that buckets cannot have, and locations that contradict each other.
 */
export function simpleOsdMap(options: SimpleMapOptions): OsdMap {
  const { maxOsd, created, pool } = options;
  const empty = emptyOsdMap();
  const each = <T>(value: T): T[] => new Array<T>(maxOsd).fill(value);
  const noAddrs: EntityAddrVec = [];
  return {
    ...empty,
    created,
    modified: created,
    pools: pool === undefined ? new Map() : new Map([[1, newPool(1, pool)]]),
    poolMax: pool === undefined ? 0n : 1n,
    maxOsd,
    osdState: new Uint32Array(maxOsd),
    osdWeight: new Uint32Array(maxOsd),
    crush: simpleCrushMap(options),
    erasureCodeProfiles: new Map([['default', DEFAULT_PROFILE]]),
    details: {
      ...empty.details,
      clientAddrs: each(noAddrs),
      clusterAddrs: each(noAddrs),
      hbBackAddrs: each(noAddrs),
      hbFrontAddrs: each(noAddrs),
      osdInfo: each(NO_OSD_INFO),
      osdXInfo: each(NO_OSD_XINFO),
      osdUuid: each(NO_UUID),
    },
  };
}

function simpleCrushMap({ osds, chooseleafType = 1, ruleSizes }: SimpleMapOptions): CrushMap {
  const failureDomain = TYPE_NAMES[chooseleafType];
  if (failureDomain === undefined) {
    throw new CrushError(
      'bad-argument',
      `${chooseleafType} is no type of bucket; give one of 0..${ROOT_TYPE}`,
    );
  }
  const draft = CrushDraft.empty();
  TYPE_NAMES.forEach((name, type) => {
    draft.setTypeName(type, name);
  });
  const root = addBucket(draft, { type: ROOT_TYPE, hash: 0, items: [], weights: [] });
  draft.setItemName(root, 'default');
  let last: PlacedOsd | undefined;
  const together: number[] = [];
  for (const osd of osds) {
    if (osd.location === last?.location) together.push(osd.id);
    else {
      if (last !== undefined) addBeside(draft, last.id, together.splice(0));
      const place = new Map([...Object.entries(osd.location), ['root', 'default'] as const]);
      insertItem(draft, osd.id, 1, `osd.${osd.id}`, place);
      last = osd;
    }
  }
  if (last !== undefined) addBeside(draft, last.id, together);
  addSimpleRule(draft, {
    name: 'replicated_rule',
    root: 'default',
    failureDomain,
    mode: 'firstn',
    type: RULE_TYPE.replicated,
    id: 0,
    ...(ruleSizes === undefined ? {} : { sizes: ruleSizes }),
  });
  return draft.finish();
}

/** Adds OSDs to the bucket that one stands in, all at once: one by one takes its time where there are many. */
function addBeside(draft: CrushDraft, neighbour: number, osds: readonly number[]): void {
  const index = draft.holdersOf(neighbour)[0];
  const bucket = index === undefined ? undefined : draft.buckets[index];
  if (bucket === undefined || osds.length === 0) return;
  const items = [...bucket.items, ...osds];
  if (items.length > MOST_IN_BUCKET) {
    throw new CrushError('bad-argument', `a bucket holds at most ${MOST_IN_BUCKET} OSDs of weight 1`);
  }
  const weights = items.map(() => WEIGHT_ONE);
  draft.setBucket(makeBucket({ ...bucket, items, weights }, draft.tunables.strawCalcVersion));
  for (const osd of osds) {
    draft.setItemName(osd, `osd.${osd}`);
    draft.maxDevices = Math.max(draft.maxDevices, osd + 1);
  }
  adjustItemWeight(draft, bucket.id, items.length * WEIGHT_ONE);
}

/** A replicated pool of rule 0, new and empty. */
export function newPool(id: number, pool: SimplePool): Pool {
  const { pgNum, pgpNum, flags, name, size, minSize, pgAutoscaleMode } = pool;
  return {
    id,
    name,
    type: POOL_TYPE.replicated,
    size,
    minSize,
    crushRule: 0,
    objectHash: OBJECT_HASH.rjenkins,
    pgNum,
    pgpNum,
    flags,
    details: {
      structVersion: 0,
      lastChange: 0,
      snapSeq: 0n,
      snapEpoch: 0,
      snaps: new Map(),
      removedSnaps: [],
      auid: 0n,
      quotaMaxBytes: 0n,
      quotaMaxObjects: 0n,
      tiers: [],
      tierOf: -1n,
      cacheMode: 0,
      readTier: -1n,
      writeTier: -1n,
      properties: new Map(),
      hitSetParams: { type: 0 },
      hitSetPeriod: 0,
      hitSetCount: 0,
      stripeWidth: 0,
      targetMaxBytes: 0n,
      targetMaxObjects: 0n,
      cacheTargetDirtyRatioMicro: 0,
      cacheTargetDirtyHighRatioMicro: 0,
      cacheTargetFullRatioMicro: 0,
      cacheMinFlushAge: 0,
      cacheMinEvictAge: 0,
      erasureCodeProfile: '',
      lastForceOpResend: 0,
      lastForceOpResendPrenautilus: 0,
      lastForceOpResendPreluminous: 0,
      minReadRecencyForPromote: 0,
      minWriteRecencyForPromote: 0,
      expectedNumObjects: 0n,
      useGmtHitset: true,
      fastRead: false,
      hitSetGradeDecayRate: 0,
      hitSetSearchLastN: 0,
      opts: new Map(),
      applicationMetadata: new Map([[name, new Map()]]),
      createTime: NO_TIME,
      pgNumTarget: pgNum,
      pgpNumTarget: pgpNum,
      pgNumPending: pgNum,
      pgAutoscaleMode,
      lastPgMergeMeta: {
        sourcePgid: { pool: 0, ps: 0 },
        readyEpoch: 0,
        lastEpochStarted: 0,
        lastEpochClean: 0,
        sourceVersion: { epoch: 0, version: 0n },
        targetVersion: { epoch: 0, version: 0n },
      },
      peeringCrushBucketCount: 0,
      peeringCrushBucketTarget: 0,
      peeringCrushBucketBarrier: 0,
      peeringCrushMandatoryMember: 0x7fffffff,
      nonprimaryShards: 0n,
    },
  };
}
