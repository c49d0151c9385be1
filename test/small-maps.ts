/**
 * Small maps made by hand, for tests that ask one question.
 */
import { BUCKET_ALGORITHM, LEGACY_TUNABLES, RULE_OP, RULE_TYPE } from '../src/crush/model.ts';
import type { CrushBucket, CrushMap, CrushRule, CrushTunables } from '../src/crush/model.ts';
import { makeBucket } from './make-bucket.ts';
import { Random } from './random.ts';

/** The tunables of a new cluster (the jewel profile). */
const JEWEL: CrushTunables = {
  ...LEGACY_TUNABLES,
  chooseLocalTries: 0,
  chooseLocalFallbackTries: 0,
  chooseTotalTries: 50,
  chooseleafDescendOnce: 1,
  chooseleafVaryR: 1,
  chooseleafStable: 1,
  strawCalcVersion: 1,
};

/** A rule that takes `root` and makes one choice below it. */
export function chooseRule(id: number, root: number, op: number, type: number): CrushRule {
  return {
    id,
    type:
      op === RULE_OP.chooseIndep || op === RULE_OP.chooseleafIndep ? RULE_TYPE.erasure : RULE_TYPE.replicated,
    ruleset: id,
    minSize: 1,
    maxSize: 100,
    steps: [
      { op: RULE_OP.take, arg1: root, arg2: 0 },
      { op, arg1: 0, arg2: type },
      { op: RULE_OP.emit, arg1: 0, arg2: 0 },
    ],
  };
}

/** A map of these buckets (ids -1, -2 ... in order) and rules, without names. */
function mapOf(buckets: readonly CrushBucket[], rules: readonly CrushRule[]): CrushMap {
  return {
    maxDevices: 1 + Math.max(...buckets.flatMap((bucket) => [...bucket.items])),
    buckets,
    rules,
    tunables: JEWEL,
    typeNames: new Map(),
    itemNames: new Map(),
    ruleNames: new Map(),
    classNames: new Map(),
    itemClasses: new Map(),
    classBuckets: new Map(),
    chooseArgs: new Map(),
    encodedThrough: 9,
  };
}

/** One host of devices 0, 1 ... with these 16.16 weights. Rule 0 chooses devices firstn, rule 1 indep. */
export function hostMap(algorithm: number, weights: readonly number[]): CrushMap {
  const host = makeBucket(-1, 1, algorithm, [...weights.keys()], weights, new Random(1));
  return mapOf(
    [host],
    [chooseRule(0, -1, RULE_OP.chooseFirstn, 0), chooseRule(1, -1, RULE_OP.chooseIndep, 0)],
  );
}

/**
 * A root (-1) of straw2 hosts with devices of weight 1.0. Rule 0 chooses a device on each of several hosts
 * firstn, rule 1 indep.
 */
export function clusterMap(hosts: number, devicesOfHost: number): CrushMap {
  const random = new Random(1);
  const buckets: CrushBucket[] = [];
  for (let host = 0; host < hosts; host++) {
    const devices = Array.from({ length: devicesOfHost }, (_, i) => host * devicesOfHost + i);
    const weights = devices.map(() => 0x10000);
    buckets.push(makeBucket(-2 - host, 1, BUCKET_ALGORITHM.straw2, devices, weights, random));
  }
  const ids = buckets.map((bucket) => bucket.id);
  const root = makeBucket(
    -1,
    10,
    BUCKET_ALGORITHM.straw2,
    ids,
    ids.map(() => devicesOfHost * 0x10000),
    random,
  );
  return mapOf(
    [root, ...buckets],
    [chooseRule(0, -1, RULE_OP.chooseleafFirstn, 1), chooseRule(1, -1, RULE_OP.chooseleafIndep, 1)],
  );
}
