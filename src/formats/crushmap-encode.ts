/**
 * Writes the binary CRUSH map: the bytes that crushtool writes and `ceph osd setcrushmap` takes
 * (`CrushWrapper::encode`). All sections that the release knows are written, whatever the map was read from.
 */
import { demandCrushMap } from '../crush/kind.ts';
import type { ChooseArgs, CrushBucket, CrushMap, CrushRule } from '../crush/model.ts';
import { BinaryWriter } from './binary-writer.ts';
import { CRUSH_MAGIC } from './crushmap-binary.ts';
import { NEWEST_RELEASE, RELEASE, isAtLeast } from './releases.ts';

/** Options of {@link writeCrushBinary}. */
export interface WriteCrushOptions {
  /**
   * The number of the Ceph release whose form is written (16 is Pacific, 19 Squid; default: the newest). Before 17
   * rules keep their former mask (ruleset, min_size, max_size); from 19 on the MSR tunables are at the end.
   */
  readonly release?: number;
}

/**
 * The bytes of a CRUSH map.
 *
 * @throws CrushError `bad-argument` for what is no CRUSH map.
 * @example
 * ```ts
 * await writeFile('crushmap', writeCrushBinary(map));
 * ```
 */
export function writeCrushBinary(map: CrushMap, options: WriteCrushOptions = {}): Uint8Array {
  demandCrushMap(map, 'writeCrushBinary');
  const { release = NEWEST_RELEASE } = options;
  const writer = new BinaryWriter();
  writer.u32(CRUSH_MAGIC).u32(map.buckets.length).u32(map.rules.length).u32(map.maxDevices);
  for (const bucket of map.buckets) {
    writer.u32(bucket?.alg ?? 0);
    if (bucket !== undefined) writeBucket(writer, bucket);
  }
  const keepsMask = !isAtLeast(release, RELEASE.quincy);
  map.rules.forEach((rule, id) => {
    writer.u32(rule === undefined ? 0 : 1);
    if (rule !== undefined) writeRule(writer, keepsMask ? rule : withoutMask(rule, id));
  });
  for (const names of [map.typeNames, map.itemNames, map.ruleNames]) writeNames(writer, names);
  writeTunables(writer, map);
  writer.map(map.itemClasses, (id) => writer.u32(id));
  writeNames(writer, map.classNames);
  writer.map(map.classBuckets, (shadows) => writer.map(shadows, (id) => writer.u32(id)));
  const sets = [...map.chooseArgs].sort(([a], [b]) => a - b);
  writer.list(sets, ([index, args]) => {
    writer.u64(index);
    writeChooseArgs(writer, args);
  });
  if (isAtLeast(release, RELEASE.squid)) {
    writer.u32(map.tunables.msrDescents).u32(map.tunables.msrCollisionTries);
  }
  return writer.bytes;
}

function writeBucket(writer: BinaryWriter, bucket: CrushBucket): void {
  writer.u32(bucket.id).u16(bucket.type).u8(bucket.alg).u8(bucket.hash);
  writer.u32(bucket.weight).u32(bucket.items.length).words(bucket.items);
  switch (bucket.alg) {
    case 1:
      writer.u32(bucket.itemWeight);
      break;
    case 2:
      writePairs(writer, bucket.itemWeights, bucket.sumWeights);
      break;
    case 3:
      writer.u8(bucket.nodeWeights.length).words(bucket.nodeWeights);
      break;
    case 4:
      writePairs(writer, bucket.itemWeights, bucket.straws);
      break;
    case 5:
      writer.words(bucket.itemWeights);
  }
}

/** Two arrays whose entries stand in turn. */
function writePairs(writer: BinaryWriter, first: Uint32Array, second: Uint32Array): void {
  first.forEach((value, i) => writer.u32(value).u32(second[i] ?? 0));
}

function writeRule(writer: BinaryWriter, rule: CrushRule): void {
  // Ceph keeps no more than 8 bits of the ruleset, which of a newer rule is its number.
  writer
    .u32(rule.steps.length)
    .u8(rule.ruleset & 0xff)
    .u8(rule.type)
    .u8(rule.minSize)
    .u8(rule.maxSize);
  for (const { op, arg1, arg2 } of rule.steps) writer.u32(op).u32(arg1).u32(arg2);
}

/** The rule with what Quincy and newer write for the mask they no longer have. */
function withoutMask(rule: CrushRule, id: number): CrushRule {
  return { ...rule, ruleset: id, minSize: 1, maxSize: 100 };
}

function writeNames(writer: BinaryWriter, names: ReadonlyMap<number, string>): void {
  writer.map(names, (name) => writer.string(name));
}

function writeTunables(writer: BinaryWriter, { tunables }: CrushMap): void {
  writer.u32(tunables.chooseLocalTries).u32(tunables.chooseLocalFallbackTries);
  writer.u32(tunables.chooseTotalTries).u32(tunables.chooseleafDescendOnce);
  writer.u8(tunables.chooseleafVaryR).u8(tunables.strawCalcVersion);
  writer.u32(tunables.allowedBucketAlgs).u8(tunables.chooseleafStable);
}

/** One set of choose_args, in the order of the bucket table; entries that say nothing are left out. */
function writeChooseArgs(writer: BinaryWriter, args: ChooseArgs): void {
  const entries = [...args]
    .filter(([, { weightSet, ids }]) => (weightSet?.length ?? 0) + (ids?.length ?? 0) > 0)
    .sort(([a], [b]) => b - a);
  writer.list(entries, ([id, { weightSet = [], ids = new Int32Array(0) }]) => {
    writer.u32(-1 - id);
    writer.list(weightSet, (weights) => writer.u32(weights.length).words(weights));
    writer.u32(ids.length).words(ids);
  });
}
