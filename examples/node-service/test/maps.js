// A real cluster's 113 epochs, whole and as incrementals, and what tests say about maps.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export const ROOT = new URL('../../../', import.meta.url);
export const OSDMAP = readFileSync(new URL('examples/cluster-8osd/osdmap', ROOT));

/** By epoch; there is none of epoch 0, nor an incremental of epoch 1. */
export const FULLS = [undefined, ...pieces('full-maps.bin.gz')];
export const INCREMENTALS = [undefined, undefined, ...pieces('incrementals.bin.gz')];
export const LAST = FULLS.length - 1;

/** Files that hold each piece after its length. */
function pieces(name) {
  const bytes = gunzipSync(readFileSync(new URL(`test/fixtures/incrementals/${name}`, ROOT)));
  const out = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 4 + bytes.readUInt32LE(at);
    out.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return out;
}
