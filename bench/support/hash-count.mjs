/**
 * How many item hashes a mapping takes: counted by the plain reference mapper of the tests, which asks a bucket for its
 * hash function once for every item it hashes, so that a getter there counts them exactly.
 *
 * The hash of a device's reweight is not counted, and neither is what a kernel saves or does twice: ns per item hash
 * compares kernels by what they deliver.
 */
import { runnerImport } from 'vite';
import { ROOT } from './settings.mjs';

let referenceMap;

/** Mean number of item hashes a mapping, over `sample` inputs from `request.first` on. */
export async function hashesPerMapping(map, request, sample) {
  referenceMap ??= (
    await runnerImport(`${ROOT}test/reference/mapper.ts`, {
      configFile: false,
      root: ROOT,
      logLevel: 'silent',
    })
  ).module.referenceMap;
  let hashes = 0;
  const buckets = map.buckets.map(
    (bucket) =>
      bucket && {
        ...bucket,
        get hash() {
          hashes++;
          return bucket.hash;
        },
      },
  );
  for (let i = 0; i < sample; i++) {
    const { rule, size, first, chooseArgs } = request;
    referenceMap({ ...map, buckets }, { rule, size, x: first + i, chooseArgs });
  }
  return hashes / sample;
}
