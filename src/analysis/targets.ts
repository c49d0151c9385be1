/** What weights ask for: the share of each device in what a rule places. */
import type { CrushMap, CrushRule } from '../crush/model.ts';
import { MapIndex, weightAt } from '../crush/validate/index-of-map.ts';
import { choiceCount, ruleBlocks, type RuleBlock } from '../crush/validate/rule-blocks.ts';

/** Devices that a rule can give, and what share of all it places each should get. */
export interface Targets {
  /** Share of each device, 0 to 1, by its id; together 1 where there is any. */
  readonly shares: Float64Array;
  /** CRUSH weight of each device below the rule's takes, 16.16; the greatest where there are several. */
  readonly weights: Float64Array;
  /** Whether a device hangs below a take, whatever it weighs. */
  readonly reached: Uint8Array;
}

/**
 * Shares by weight: each block of a rule gives its part of the items, and below its take devices share it in
 * proportion to CRUSH weight times reweight. Weight-sets do not count: they are there to make the counts follow the
 * weights.
 */
export function targetsOf(
  index: MapIndex,
  rule: CrushRule,
  size: number,
  reweights: Uint32Array | undefined,
): Targets {
  const { map } = index;
  const shares = new Float64Array(map.maxDevices);
  const weights = new Float64Array(map.maxDevices);
  const reached = new Uint8Array(map.maxDevices);
  let left = size;
  for (const block of ruleBlocks(rule, map.tunables)) {
    const items = Math.min(left, wantedOf(block, size));
    left -= items;
    const below = weightsBelow(index, block.take);
    let total = 0;
    for (const [device, weight] of below) total += weight * reweightOf(reweights, device);
    for (const [device, weight] of below) {
      reached[device] = 1;
      weights[device] = Math.max(weights[device] ?? 0, weight);
      if (total === 0 || items <= 0) continue;
      const share = (weight * reweightOf(reweights, device)) / total;
      shares[device] = (shares[device] ?? 0) + (share * items) / size;
    }
  }
  return { shares: scaledToOne(shares), weights, reached };
}

/** Reweights with which crushtool tests: 1.0 for what is in a bucket, 0 for other devices. */
export function placedDevices(map: CrushMap): Uint32Array {
  const reweights = new Uint32Array(map.maxDevices);
  for (const bucket of map.buckets) {
    for (const item of bucket?.items ?? []) {
      if (item >= 0 && item < reweights.length) reweights[item] = 0x10000;
    }
  }
  return reweights;
}

function reweightOf(reweights: Uint32Array | undefined, device: number): number {
  return reweights === undefined ? 1 : Math.min(1, (reweights[device] ?? 0) / 0x10000);
}

/** Most items that a block gives. */
function wantedOf({ choices }: RuleBlock, size: number): number {
  return choices.reduce((product, choice) => Math.min(size, product * choiceCount(choice, size)), 1);
}

/** 16.16 weights of the devices below an item. */
function weightsBelow(index: MapIndex, top: number): Map<number, number> {
  const found = new Map<number, number>();
  const { maxDevices } = index.map;
  if (top >= 0) return top < maxDevices ? found.set(top, 0x10000) : found;
  const bucket = index.bucket(top);
  for (const each of bucket === undefined ? [] : index.below(bucket)) {
    for (const [position, item] of each.items.entries()) {
      if (item < 0 || item >= maxDevices) continue;
      found.set(item, (found.get(item) ?? 0) + weightAt(each, position));
    }
  }
  return found;
}

function scaledToOne(shares: Float64Array): Float64Array {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return total === 0 ? shares : shares.map((share) => share / total);
}
