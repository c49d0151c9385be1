// What every runtime does: it maps the example cluster, at once and by workers, and reads a map in text. No part of it
// knows where it runs.
import { createMapper, ParallelPgMapper, readMap, readMapFile } from 'crush-wasm';

const TEXT = `# begin crush map
device 0 osd.0
type 0 osd
type 1 root
root default {
  id -1
  alg straw2
  hash 0
  item osd.0 weight 1.000
}
# end crush map
`;

/** Every PG in the words of `osdmaptool --test-map-pgs-dump-all`. */
export function mapExample(bytes) {
  const { map } = readMap(bytes);
  const lines = [];
  for (const columns of createMapper(map).mapAll()) {
    for (let i = 0; i < columns.count; i++) {
      const sets = ['raw', 'up', 'acting'].map((name) => `${name} ${setText(columns, columns[name], i)}`);
      lines.push(`${columns.pool}.${(columns.first + i).toString(16)} ${sets.join(' ')}`);
    }
  }
  return lines.join('\n');
}

/** Whether a map in text is read, whose readers may be in a file of their own: 'yes', or why not. */
export async function readText() {
  try {
    const { kind, encoding, map } = await readMapFile(new TextEncoder().encode(TEXT));
    return kind === 'crushmap' && encoding === 'text' && map.maxDevices === 1 ? 'yes' : 'WRONG';
  } catch (error) {
    return error.message;
  }
}

/** How two workers map as this thread does: by memory that is 'shared' or by results that are 'copied'; or why not. */
export async function mapInThreads(bytes) {
  const { map } = readMap(bytes);
  const [pool] = map.pools.keys();
  const mapper = new ParallelPgMapper(map, { threads: 2 });
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), 10_000);
  });
  try {
    const { acting } = await Promise.race([mapper.mapPool(pool), late]);
    const expected = createMapper(map).mapPool(pool).acting;
    if (acting.osds.join() !== expected.osds.join()) return 'WRONG';
    return acting.osds.buffer instanceof ArrayBuffer ? 'copied' : 'shared';
  } catch (error) {
    return error.code ?? error.message;
  } finally {
    clearTimeout(timer);
    await mapper.close();
  }
}

function setText({ width }, { osds, lengths, primaries }, i) {
  const set = [...osds.subarray(i * width, i * width + lengths[i])];
  return `([${set.join(',')}], p${primaries[i]})`;
}
