/** Columns that are used again have what new ones would have. */
import { expect, test } from 'vitest';
import { type OsdMap, PgMapper, type PgSets, readMap } from '../src/index.ts';
import { ReusedMemory } from '../src/kernel/column-memory.ts';
import { fixture } from './fixtures.ts';
import { Random } from './random.ts';

const SEED = Number(process.env.CRUSH_FUZZ_SEED ?? Date.now() % 1_000_000);

/** The example cluster with OSDs that are down and PGs that are elsewhere, in sets longer than the pool's. */
function exampleMap(random: Random): OsdMap {
  const file = readMap(fixture('cluster-10osd/d.osdmap'));
  if (file.kind !== 'osdmap') throw new Error('no OSDMap');
  const { map } = file;
  const pgTemp = [...map.pools.values()].map(({ id, size, pgNum }) => {
    const osds = Array.from({ length: size + 2 }, () => random.below(map.maxOsd));
    return [id, new Map([[random.below(pgNum), osds]])] as const;
  });
  return {
    ...map,
    osdState: map.osdState.map((state) => (random.chance(0.8) ? 3 : state & ~2)),
    pgTemp: new Map(pgTemp.filter(() => random.chance(0.5))),
  };
}

function plain({ osds, lengths, primaries }: PgSets): number[][] {
  return [[...osds], [...lengths], [...primaries]];
}

test(`pools are mapped to them as to new ones, CRUSH_FUZZ_SEED=${SEED}`, () => {
  const random = new Random(SEED);
  const map = exampleMap(random);
  const mapper = new PgMapper(map);
  const pools = [...map.pools.values()];
  let shared = 0;
  for (let i = 0; i < 200; i++) {
    const { id, pgNum } = random.pick(pools);
    const first = random.below(pgNum);
    const range = { first, count: random.below(pgNum - first + 1) };
    const wanted = new PgMapper(map).mapPool(id, range);
    const got = mapper.mapPool(id, { ...range, reuse: true });
    const { raw, up, acting, ...numbers } = got;
    expect(numbers).toEqual({ pool: id, ...range, width: wanted.width });
    expect([raw, up, acting].map(plain)).toEqual([wanted.raw, wanted.up, wanted.acting].map(plain));
    if (up === raw) shared++;
    // What is not to be used again stays as it is.
    const kept = mapper.mapPool(id, range);
    mapper.mapPool(id, { reuse: true });
    expect(plain(kept.acting)).toEqual(plain(wanted.acting));
  }
  expect(shared).toBeGreaterThan(0);
  expect(shared).toBeLessThan(200);
});

test('memory grows to the longest array of a name and stays', () => {
  const memory = new ReusedMemory();
  const long = memory.array('a', 10);
  expect(memory.array('a', 4).buffer).toBe(long.buffer);
  expect(memory.array('a', 4)).toHaveLength(4);
  expect(memory.array('b', 4).buffer).not.toBe(long.buffer);
  expect(memory.array('a', 11).buffer).not.toBe(long.buffer);
});
