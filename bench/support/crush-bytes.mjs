/** Writes a map in Ceph's binary encoding, for commands to read (`CrushWrapper::encode`, through choose_args). */
import { BUCKET_ALGORITHM } from '../../dist/index.js';

/** The map's bytes. Straw and straw2 buckets only; what MSR rules are tuned with is left at its default. */
export function crushBytes(map) {
  const out = new ByteWriter();
  out.words(0x00010000, map.buckets.length, map.rules.length, map.maxDevices);
  for (const bucket of map.buckets) writeBucket(out, bucket);
  for (const { steps, ruleset, type, minSize, maxSize } of map.rules) {
    out.words(1, steps.length);
    out.bytes(ruleset, type, minSize, maxSize);
    for (const { op, arg1, arg2 } of steps) out.words(op, arg1, arg2);
  }
  for (const names of [map.typeNames, map.itemNames, map.ruleNames]) out.names(names);

  const { tunables } = map;
  out.words(tunables.chooseLocalTries, tunables.chooseLocalFallbackTries, tunables.chooseTotalTries);
  out.words(tunables.chooseleafDescendOnce);
  out.bytes(tunables.chooseleafVaryR, tunables.strawCalcVersion);
  out.words(tunables.allowedBucketAlgs);
  out.bytes(tunables.chooseleafStable);
  out.map(map.itemClasses, (id) => out.words(id));
  out.names(map.classNames);
  out.map(map.classBuckets, (byClass) => out.map(byClass, (id) => out.words(id)));

  out.words(map.chooseArgs.size);
  for (const [index, args] of map.chooseArgs) {
    out.words(index, Math.floor(index / 0x1_0000_0000), args.size);
    for (const [id, { weightSet }] of [...args].sort(([a], [b]) => b - a)) {
      out.words(-1 - id, weightSet.length);
      for (const weights of weightSet) out.words(weights.length, ...weights);
      out.words(0);
    }
  }
  return out.finish();
}

function writeBucket(out, { id, type, alg, hash, weight, items, itemWeights, straws }) {
  out.words(alg, id);
  out.bytes(type, type >> 8, alg, hash);
  out.words(weight, items.length, ...items);
  itemWeights.forEach((each, i) => out.words(each, ...(alg === BUCKET_ALGORITHM.straw ? [straws[i]] : [])));
}

class ByteWriter {
  #bytes = [];

  finish() {
    return Uint8Array.from(this.#bytes);
  }

  bytes(...values) {
    for (const value of values) this.#bytes.push(value & 0xff);
  }

  /** 32-bit numbers, little-endian. */
  words(...values) {
    for (const value of values) this.bytes(value, value >>> 8, value >>> 16, value >>> 24);
  }

  /** A map in the order of its keys, as C++ keeps it. */
  map(entries, write) {
    this.words(entries.size);
    for (const [key, value] of [...entries].sort(([a], [b]) => a - b)) {
      this.words(key);
      write(value);
    }
  }

  names(names) {
    this.map(names, (name) => {
      this.words(name.length);
      this.bytes(...[...name].map((character) => character.charCodeAt(0)));
    });
  }
}
