// What every runtime does: it maps the example cluster, at once and by workers. No part of it knows where it runs.
import { createMapper, ParallelPgMapper, readMap } from 'crush-wasm';

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

/** Whether two workers map as this thread does: 'yes', or why not. */
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
    return acting.osds.join() === expected.osds.join() ? 'yes' : 'WRONG';
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
