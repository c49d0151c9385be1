/** Flows of shards between buckets of a type. */
import type { OsdMap } from '../../../../src/osdmap/model.ts';
import { bucketsAbove, NO_BUCKET, nameOfItem } from './levels.ts';
import { FLOW_BASE } from './tally.ts';

/** Shards that go from one bucket to another, or between OSDs of the same. */
export interface Flow {
  /** Name of the bucket or OSD; undefined: shards that nobody held, or of an OSD in no bucket of the type. */
  readonly source: string | undefined;
  /** Name of the bucket or OSD; undefined: shards that are dropped, or go to an OSD in no bucket of the type. */
  readonly target: string | undefined;
  readonly shards: number;
}

/** The largest flows, and what all come to. */
export interface FlowSummary {
  readonly top: readonly Flow[];
  /** How many flows there are. */
  readonly count: number;
  /** Shards of all flows. */
  readonly shards: number;
  /** Of those, shards that stay within a bucket of the type. */
  readonly within: number;
}

/**
 * Sums up flows by the buckets of a type, those of the most shards first.
 *
 * @param flows - as in `Moves.flows`
 * @param most - flows to name at most
 */
export function flowSummary(
  flows: ReadonlyMap<number, number>,
  type: number,
  before: OsdMap,
  after: OsdMap,
  most: number,
): FlowSummary {
  const sources = bucketsAbove(before.crush, type, Math.max(before.maxOsd, before.crush.maxDevices));
  const targets = bucketsAbove(after.crush, type, Math.max(after.maxOsd, after.crush.maxDevices));
  const sums = new Map<string, { source: number | undefined; target: number | undefined; shards: number }>();
  let shards = 0;
  let within = 0;
  for (const [key, amount] of flows) {
    const source = endOf(Math.floor(key / FLOW_BASE) - 1, sources);
    const target = endOf((key % FLOW_BASE) - 1, targets);
    const pair = `${source ?? ''} ${target ?? ''}`;
    const sum = sums.get(pair);
    if (sum === undefined) sums.set(pair, { source, target, shards: amount });
    else sum.shards += amount;
    shards += amount;
    if (source !== undefined && source === target) within += amount;
  }
  const sorted = [...sums.values()].sort((a, b) => b.shards - a.shards);
  const top = sorted.slice(0, most).map((sum) => ({
    source: sum.source === undefined ? undefined : nameOfItem(before.crush, sum.source),
    target: sum.target === undefined ? undefined : nameOfItem(after.crush, sum.target),
    shards: sum.shards,
  }));
  return { top, count: sums.size, shards, within };
}

function endOf(osd: number, above: Int32Array | undefined): number | undefined {
  if (osd < 0 || above === undefined) return osd < 0 ? undefined : osd;
  const bucket = above[osd] ?? NO_BUCKET;
  return bucket === NO_BUCKET ? undefined : bucket;
}
