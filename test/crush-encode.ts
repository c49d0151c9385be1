/**
 * Writes a map in Ceph's binary encoding, through choose_args, for crushtool to map from: unlike text it can say
 * any weight, any straw length and any step argument (`CrushWrapper::encode`).
 */
import { BUCKET_ALGORITHM } from '../src/crush/model.ts';
import type { CrushBucket, CrushMap } from '../src/crush/model.ts';

/** The map's bytes. */
export function crushBytes(map: CrushMap): Uint8Array {
  const out = new ByteWriter();
  out.u32(0x00010000);
  out.u32(map.buckets.length);
  out.u32(map.rules.length);
  out.u32(map.maxDevices);
  for (const bucket of map.buckets) {
    out.u32(bucket?.alg ?? 0);
    if (bucket !== undefined) writeBucket(out, bucket);
  }
  for (const rule of map.rules) {
    out.u32(rule === undefined ? 0 : 1);
    if (rule === undefined) continue;
    out.u32(rule.steps.length);
    for (const field of [rule.ruleset, rule.type, rule.minSize, rule.maxSize]) out.u8(field);
    for (const { op, arg1, arg2 } of rule.steps) [op, arg1, arg2].forEach((field) => out.u32(field));
  }
  for (const names of [map.typeNames, map.itemNames, map.ruleNames]) out.names(names);

  const { tunables } = map;
  out.u32(tunables.chooseLocalTries);
  out.u32(tunables.chooseLocalFallbackTries);
  out.u32(tunables.chooseTotalTries);
  out.u32(tunables.chooseleafDescendOnce);
  out.u8(tunables.chooseleafVaryR);
  out.u8(tunables.strawCalcVersion);
  out.u32(tunables.allowedBucketAlgs);
  out.u8(tunables.chooseleafStable);

  out.map(map.itemClasses, (id) => out.u32(id));
  out.names(map.classNames);
  out.map(map.classBuckets, (byClass) => out.map(byClass, (id) => out.u32(id)));
  writeChooseArgs(out, map);
  return out.bytes();
}

function writeBucket(out: ByteWriter, bucket: CrushBucket): void {
  out.u32(bucket.id);
  out.u16(bucket.type);
  out.u8(bucket.alg);
  out.u8(bucket.hash);
  out.u32(bucket.weight);
  out.u32(bucket.items.length);
  for (const item of bucket.items) out.u32(item);
  switch (bucket.alg) {
    case BUCKET_ALGORITHM.uniform:
      out.u32(bucket.itemWeight);
      break;
    case BUCKET_ALGORITHM.list:
      bucket.itemWeights.forEach((weight, i) => [weight, bucket.sumWeights[i]!].forEach((w) => out.u32(w)));
      break;
    case BUCKET_ALGORITHM.tree:
      out.u8(bucket.nodeWeights.length);
      bucket.nodeWeights.forEach((weight) => out.u32(weight));
      break;
    case BUCKET_ALGORITHM.straw:
      bucket.itemWeights.forEach((weight, i) => [weight, bucket.straws[i]!].forEach((w) => out.u32(w)));
      break;
    case BUCKET_ALGORITHM.straw2:
      bucket.itemWeights.forEach((weight) => out.u32(weight));
  }
}

function writeChooseArgs(out: ByteWriter, map: CrushMap): void {
  out.u32(map.chooseArgs.size);
  for (const [index, args] of [...map.chooseArgs].sort(([a], [b]) => a - b)) {
    out.u64(BigInt(index));
    out.u32(args.size);
    for (const [id, { weightSet, ids }] of [...args].sort(([a], [b]) => b - a)) {
      out.u32(-1 - id);
      out.u32(weightSet?.length ?? 0);
      for (const weights of weightSet ?? []) {
        out.u32(weights.length);
        weights.forEach((weight) => out.u32(weight));
      }
      out.u32(ids?.length ?? 0);
      ids?.forEach((item) => out.u32(item));
    }
  }
}

/** Little-endian bytes, one after another. */
class ByteWriter {
  readonly #bytes: number[] = [];

  bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  u8(value: number): void {
    this.#bytes.push(value & 0xff);
  }

  u16(value: number): void {
    this.u8(value);
    this.u8(value >>> 8);
  }

  /** A 32-bit number, signed or not. */
  u32(value: number): void {
    this.u16(value);
    this.u16(value >>> 16);
  }

  u64(value: bigint): void {
    this.u32(Number(value & 0xffff_ffffn));
    this.u32(Number((value >> 32n) & 0xffff_ffffn));
  }

  /** A map in the order of its keys, as C++ keeps it. */
  map<T>(entries: ReadonlyMap<number, T>, write: (value: T) => void): void {
    this.u32(entries.size);
    for (const [key, value] of [...entries].sort(([a], [b]) => a - b)) {
      this.u32(key);
      write(value);
    }
  }

  names(names: ReadonlyMap<number, string>): void {
    this.map(names, (name) => {
      this.u32(name.length);
      for (const character of name) this.u8(character.charCodeAt(0));
    });
  }
}
