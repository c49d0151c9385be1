/** Random OSDMaps that use every field there is. */
import type { CrushMap } from '../src/crush/model.ts';
import type {
  EntityAddr,
  EntityAddrVec,
  Interval,
  OsdMap,
  PgTable,
  Pool,
  PoolDetails,
  UTime,
} from '../src/osdmap/model.ts';
import { POOL_OPTIONS } from '../src/formats/pool-names.ts';
import type { Random } from './random.ts';

const HASHPSPOOL = 1n;
const POOL_SNAPS = 1n << 14n;
const SELFMANAGED_SNAPS = 1n << 13n;

/** A random map over the given CRUSH map. Times are whole microseconds, as JSON has them. */
export function randomOsdMap(random: Random, crush: CrushMap): OsdMap {
  const epoch = random.word();
  const maxOsd = random.between(0, 6);
  const pools = new Map<number, Pool>();
  for (
    let id = random.between(0, 3), left = random.between(1, 3);
    left > 0;
    left--, id += random.between(1, 5)
  ) {
    pools.set(id, randomPool(random, id));
  }
  const each = <T>(make: () => T) => Array.from({ length: maxOsd }, make);
  const osd = () => random.between(0, 7);
  const osds = () => Array.from({ length: random.between(1, 3) }, osd);
  const pairs = () => Array.from({ length: random.between(1, 2) }, (): [number, number] => [osd(), osd()]);
  const table = <T>(make: () => T) => randomTable(random, [...pools.keys()], make);
  return {
    fsid: bytes(random, 16),
    epoch,
    created: time(random),
    modified: time(random),
    flags: random.below(1 << 23),
    pools,
    poolMax: BigInt(random.between(20, 1000)),
    maxOsd,
    osdState: Uint32Array.from(each(() => (random.chance(0.8) ? 1 + 2 * random.below(1 << 12) : 0))),
    osdWeight: Uint32Array.from(each(() => random.pick([0, 0x10000, 0x8000, random.below(0x10001)]))),
    osdPrimaryAffinity: Uint32Array.from(each(() => random.pick([0, 0x10000, random.below(0x10001)]))),
    pgTemp: table(osds),
    primaryTemp: table(osd),
    pgUpmap: table(osds),
    pgUpmapItems: table(pairs),
    pgUpmapPrimaries: table(osd),
    crush,
    crushVersion: random.word(),
    erasureCodeProfiles: new Map([
      [
        'default',
        new Map([
          ['k', '2'],
          ['plugin', 'jerasure'],
        ]),
      ],
      ['bare', new Map()],
    ]),
    details: {
      encoding: 'binary',
      clientVersion: 10,
      osdVersion: 12,
      crc: undefined,
      newRemovedSnaps: snapTable(random),
      newPurgedSnaps: snapTable(random),
      lastUpChange: time(random),
      lastInChange: time(random),
      clientAddrs: each(() => addrVec(random)),
      clusterAddrs: each(() => addrVec(random)),
      hbBackAddrs: each(() => addrVec(random)),
      hbFrontAddrs: each(() => addrVec(random)),
      osdInfo: each(() => ({
        lastCleanBegin: random.below(1000),
        lastCleanEnd: random.below(1000),
        upFrom: random.below(1000),
        upThru: random.below(1000),
        downAt: random.below(1000),
        lostAt: random.below(1000),
      })),
      osdXInfo: each(() => ({
        downStamp: time(random),
        laggyProbability: random.pick([0, 0.5, 0.25]),
        laggyInterval: random.below(1000),
        features: BigInt(random.word()),
        oldWeight: random.below(0x10001),
        lastPurgedSnapsScrub: time(random),
        deadEpoch: random.below(1000),
      })),
      osdUuid: each(() => bytes(random, 16)),
      blocklist: random.chance(0.5) ? [[addr(random, 1), time(random)]] : [],
      rangeBlocklist: random.chance(0.5) ? [[addr(random, 4), time(random)]] : [],
      clusterSnapshotEpoch: random.chance(0.5) ? epoch : 7,
      clusterSnapshot: random.pick(['', 'snapshot']),
      nearfullRatio: 0.5,
      fullRatio: Math.fround(0.95),
      backfillfullRatio: Math.fround(0.9),
      requireMinCompatClient: random.pick([0, 10, 12]),
      requireOsdRelease: random.between(12, 16),
      removedSnapsQueue: snapTable(random),
      crushNodeFlags: new Map([[-1, 1 << 11]]),
      deviceClassFlags: new Map([[3, 1 << 8]]),
      stretchModeEnabled: random.chance(0.5),
      stretchBucketCount: random.below(5),
      degradedStretchMode: random.below(5),
      recoveringStretchMode: random.below(5),
      stretchModeBucket: random.between(-4, 0),
      allowCrimson: random.chance(0.5),
    },
  };
}

function randomPool(random: Random, id: number): Pool {
  const snaps = random.chance(0.3);
  const removed = !snaps && random.chance(0.5);
  const mode = snaps ? POOL_SNAPS : removed ? SELFMANAGED_SNAPS : 0n;
  return {
    id,
    name: random.pick(['rbd', 'data', 'métadonnées', '.rgw.root']) + String(id),
    type: random.pick([1, 3]),
    size: random.between(1, 11),
    minSize: random.between(1, 5),
    crushRule: random.below(4),
    objectHash: random.pick([1, 2]),
    pgNum: random.between(1, 100),
    pgpNum: random.between(1, 100),
    flags: (random.chance(0.7) ? HASHPSPOOL : 0n) | mode | (random.chance(0.2) ? 1n << 19n : 0n),
    details: randomPoolDetails(random, snaps, removed),
  };
}

function randomPoolDetails(random: Random, hasSnaps: boolean, hasRemoved: boolean): PoolDetails {
  const small = () => random.below(100_000);
  const long = () => BigInt(random.word()) * 1000n;
  const isStretch = random.chance(0.3);
  const snap = { snapid: 3n, stamp: time(random), name: 'monday' };
  return {
    structVersion: 32,
    lastChange: small(),
    snapSeq: hasSnaps || hasRemoved ? 5n : 0n,
    snapEpoch: small(),
    snaps: new Map(hasSnaps ? [[3n, snap]] : []),
    removedSnaps: hasRemoved
      ? [
          { start: 1n, length: 15n },
          { start: 17n, length: 2n },
        ]
      : [],
    auid: long(),
    quotaMaxBytes: long(),
    quotaMaxObjects: long(),
    tiers: random.pick([[], [4n, 7n]]),
    tierOf: random.pick([-1n, 3n]),
    cacheMode: random.below(7),
    readTier: random.pick([-1n, 4n]),
    writeTier: random.pick([-1n, 4n]),
    properties: new Map(random.pick([[], [['key', 'value']]])),
    hitSetParams: random.pick([
      { type: 0 },
      { type: 1 },
      { type: 2 },
      { type: 3, bloom: { fppMicro: 50_000, targetSize: 300n, seed: 99n } },
    ]),
    hitSetPeriod: small(),
    hitSetCount: random.below(4),
    stripeWidth: small(),
    targetMaxBytes: long(),
    targetMaxObjects: long(),
    cacheTargetDirtyRatioMicro: small(),
    cacheTargetDirtyHighRatioMicro: small(),
    cacheTargetFullRatioMicro: small(),
    cacheMinFlushAge: small(),
    cacheMinEvictAge: small(),
    erasureCodeProfile: random.pick(['', 'default']),
    lastForceOpResend: small(),
    lastForceOpResendPrenautilus: small(),
    lastForceOpResendPreluminous: small(),
    minReadRecencyForPromote: small(),
    minWriteRecencyForPromote: small(),
    expectedNumObjects: long(),
    useGmtHitset: random.chance(0.5),
    fastRead: random.chance(0.5),
    hitSetGradeDecayRate: random.below(100),
    hitSetSearchLastN: small(),
    opts: randomOpts(random),
    applicationMetadata: new Map(
      random.pick([
        [],
        [
          ['cephfs', new Map()],
          ['rbd', new Map([['key', 'value']])],
        ],
      ]),
    ),
    createTime: time(random),
    pgNumTarget: small(),
    pgpNumTarget: small(),
    pgNumPending: small(),
    pgAutoscaleMode: random.below(3),
    lastPgMergeMeta: {
      sourcePgid: { pool: random.below(9), ps: random.below(500) },
      readyEpoch: small(),
      lastEpochStarted: small(),
      lastEpochClean: small(),
      sourceVersion: { epoch: small(), version: long() },
      targetVersion: { epoch: small(), version: long() },
    },
    peeringCrushBucketCount: isStretch ? 2 : 0,
    peeringCrushBucketTarget: isStretch ? 3 : 0,
    peeringCrushBucketBarrier: isStretch ? 8 : 0,
    peeringCrushMandatoryMember: isStretch ? -3 : 0x7fffffff,
    nonprimaryShards: random.pick([0n, 6n, (1n << 127n) | (1n << 64n) | 1n]),
  };
}

/** Some options that every release with options knows, with values that no printed form rounds. */
function randomOpts(random: Random): Map<number, string | bigint | number> {
  const opts = new Map<number, string | bigint | number>();
  POOL_OPTIONS.slice(0, 24).forEach(([, type], key) => {
    if (random.chance(0.8)) return;
    opts.set(key, type === 'string' ? 'snappy' : type === 'integer' ? BigInt(random.below(1000)) : 0.25);
  });
  return opts;
}

function randomTable<T>(random: Random, pools: readonly number[], make: () => T): PgTable<T> {
  const table = new Map<number, Map<number, T>>();
  for (const pool of pools) {
    if (random.chance(0.5)) continue;
    const seeds = new Map<number, T>();
    for (
      let ps = random.below(3), left = random.between(1, 4);
      left > 0;
      left--, ps += random.between(1, 20)
    ) {
      seeds.set(ps, make());
    }
    table.set(pool, seeds);
  }
  return table;
}

function time(random: Random): UTime {
  return { sec: 1_500_000_000 + random.below(100_000_000), nsec: random.below(1_000_000) * 1000 };
}

function bytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}

function addr(random: Random, type: number): EntityAddr {
  const family = random.pick([2, 10]);
  const address = bytes(random, family === 2 ? 4 : 16);
  return { type, nonce: random.word(), family, port: random.below(65536), address };
}

function addrVec(random: Random): EntityAddrVec {
  return [addr(random, 2), addr(random, 1)];
}

function snapTable(random: Random): Map<number, readonly Interval[]> {
  return new Map(
    random.chance(0.5)
      ? [
          [
            2,
            [
              { start: 3n, length: 1n },
              { start: 9n, length: 4n },
            ],
          ],
        ]
      : [],
  );
}
