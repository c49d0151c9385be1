/**
 * How evenly the primaries of a pool are spread, as releases from Reef on print it beside every replicated pool.
 * Follows `OSDMap::calc_read_balance_score` (Ceph's src/osd/OSDMap.cc), with its 32-bit floats.
 */
import { RULE_OP, type CrushMap } from '../crush/model.ts';
import { bucketItemWeight, findBucket } from '../crush/names.ts';
import { DEFAULT_PRIMARY_AFFINITY, type Pool } from './model.ts';
import type { PgMapper } from './pg-mapper.ts';

/** What there is to say of a pool's primaries. */
export interface ReadBalance {
  /** 1 is perfect, 2 means that one OSD leads twice its share; undefined where Ceph gives none. */
  readonly score: number | undefined;
  /** What the score is made of; undefined where there is none. */
  readonly parts: ReadBalanceParts | undefined;
  /** Why there is no score, or why it is not to be trusted; empty for nothing. */
  readonly message: string;
}

/** What a read balance is made of; scores of primaries as they are, and as they were without temps. */
export interface ReadBalanceParts {
  readonly scoreStable: number;
  /** The best score that the affinities allow. */
  readonly optimalScore: number;
  readonly rawScoreActing: number;
  readonly rawScoreStable: number;
  /** Sum of affinities, each by its OSD's share of weight. */
  readonly weightedAffinity: number;
  readonly averageAffinity: number;
  readonly averageWeightedAffinity: number;
}

/** PGs that are mapped at a time. */
const RANGE = 1 << 14;

const float = Math.fround;

/** The read balance of a replicated pool. */
export function readBalance(mapper: PgMapper, pool: Pool): ReadBalance {
  const { map } = mapper;
  const counts = countPrimaries(mapper, pool);
  if (counts.osds === 0) return { score: undefined, parts: undefined, message: '' };

  let most = 0;
  let mostStable = 0;
  let mostByAffinity = 0;
  let leadsWithoutAffinity = false;
  let affinitySum = 0;
  let willing = 0;
  let totalWeight = 0;
  let weightedAffinity = 0;
  for (const [osd, weight] of ruleWeights(map.crush, pool.crushRule)) {
    const affinity = float(
      (map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY) / DEFAULT_PRIMARY_AFFINITY,
    );
    totalWeight = float(totalWeight + weight);
    weightedAffinity = float(weightedAffinity + float(weight * affinity));
    affinitySum = float(affinitySum + affinity);
    if (affinity !== 0) willing++;
    mostStable = Math.max(mostStable, counts.stable.get(osd) ?? 0);
    const leads = counts.acting.get(osd);
    if (leads === undefined) continue;
    most = Math.max(most, leads);
    if (affinity === 0) leadsWithoutAffinity = true;
    else mostByAffinity = Math.max(mostByAffinity, float(leads / affinity));
  }
  const failed = (message: string): ReadBalance => ({
    score: undefined,
    parts: undefined,
    message: `pool ${pool.id} ${message}`,
  });
  if (affinitySum === 0) return failed('has primary_affinity set to zero on all OSDs');
  const least = 1 / pool.size;
  if (float(weightedAffinity / totalWeight) < least) {
    return failed(
      `average primary affinity is lower than ${least.toFixed(2)}, read balance score is not reliable`,
    );
  }

  const average = float(pool.pgNum / counts.osds);
  let raw = round(float(most / average));
  let message = '';
  if (leadsWithoutAffinity) {
    raw = round(float(mostByAffinity * float(affinitySum / counts.osds)));
    message =
      `pool ${pool.id} has acting primaries on OSD(s) with primary affinity 0, ` +
      'read balance score is not accurate';
  }
  if (counts.unwilling !== undefined) {
    const pg = `${pool.id}.${counts.unwilling.toString(16)}`;
    return failed(
      `has some PGs where all OSDs are with primary_affinity 0 (at least pg ${pg}), ` +
        'read balance score may not be reliable',
    );
  }
  const optimal = round(float(counts.osds / willing));
  const rawStable = round(float(mostStable / average));
  const parts: ReadBalanceParts = {
    scoreStable: round(float(rawStable / optimal)),
    optimalScore: optimal,
    rawScoreActing: raw,
    rawScoreStable: rawStable,
    weightedAffinity,
    averageAffinity: round(float(affinitySum / willing)),
    averageWeightedAffinity: round(float(weightedAffinity / totalWeight)),
  };
  return { score: round(float(raw / optimal)), parts, message };
}

interface PrimaryCounts {
  /** How many OSDs hold PGs of the pool. */
  readonly osds: number;
  /** How many PGs each OSD serves as primary. */
  readonly acting: ReadonlyMap<number, number>;
  /** How many it would serve without temps. */
  readonly stable: ReadonlyMap<number, number>;
  /** Seed of the first PG that only OSDs of affinity 0 serve. */
  readonly unwilling: number | undefined;
}

function countPrimaries(mapper: PgMapper, pool: Pool): PrimaryCounts {
  const { map } = mapper;
  const isOsd = (osd: number): boolean => osd >= 0 && osd < map.maxOsd;
  const isWilling = (osd: number): boolean => isOsd(osd) && map.osdPrimaryAffinity?.[osd] !== 0;
  const holders = new Set<number>();
  const acting = new Map<number, number>();
  const stable = new Map<number, number>();
  let unwilling: number | undefined;
  for (let first = 0; first < pool.pgNum; first += RANGE) {
    const columns = mapper.mapPool(pool.id, { first, count: Math.min(RANGE, pool.pgNum - first) });
    for (let i = 0; i < columns.count; i++) {
      const setOf = (sets: typeof columns.up): Int32Array =>
        sets.osds.subarray(i * columns.width, i * columns.width + (sets.lengths[i] ?? 0));
      const up = setOf(columns.up);
      if (!setOf(columns.acting).some(isWilling)) unwilling ??= first + i;
      if (up.length === 0) continue;
      for (const osd of up) if (isOsd(osd)) holders.add(osd);
      const primary = columns.acting.primaries[i] ?? -1;
      if (primary >= 0) acting.set(primary, (acting.get(primary) ?? 0) + 1);
      const upPrimary = columns.up.primaries[i] ?? -1;
      if (upPrimary >= 0) stable.set(upPrimary, (stable.get(upPrimary) ?? 0) + 1);
    }
  }
  return { osds: holders.size, acting, stable, unwilling };
}

/**
 * The share of weight of every OSD below the buckets that a rule takes, summed over the takes
 * (`CrushWrapper::get_rule_weight_osd_map`), by ascending OSD.
 */
function ruleWeights(crush: CrushMap, ruleId: number): [osd: number, share: number][] {
  const shares = new Map<number, number>();
  for (const { op, arg1 } of crush.rules[ruleId]?.steps ?? []) {
    if (op !== RULE_OP.take) continue;
    const weights = new Map<number, number>();
    let sum = 0;
    if (arg1 >= 0) {
      weights.set(arg1, 1);
      sum = 1;
    }
    const queue = arg1 < 0 ? [arg1] : [];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      const bucket = findBucket(crush, id);
      bucket?.items.forEach((item, position) => {
        if (item < 0) {
          queue.push(item);
          return;
        }
        const weight = float(bucketItemWeight(bucket, position) | 0);
        weights.set(item, weight);
        sum = float(sum + weight);
      });
    }
    for (const [osd, weight] of weights) {
      shares.set(osd, float((shares.get(osd) ?? 0) + float(weight / sum)));
    }
  }
  return [...shares].sort(([a], [b]) => a - b);
}

/** Rounds to two decimals, halves away from zero (`rbi_round`). */
function round(value: number): number {
  const scaled = float(value * 100);
  return float(value > 0 ? Math.floor(scaled + 0.5) / 100 : Math.ceil(scaled - 0.5) / 100);
}
