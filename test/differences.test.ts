import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mapDifferences } from '../src/analysis/differences.ts';
import { applyChanges, type MapChange } from '../src/analysis/what-if.ts';
import { readCrushText } from '../src/formats/crushmap-text.ts';
import { writeCrushText } from '../src/formats/crush-text-write.ts';
import { readMap } from '../src/formats/detect.ts';

const file = readMap(readFileSync('examples/cluster-8osd/osdmap'));
if (file.kind !== 'osdmap') throw new Error('the example is an OSDMap');
const { map } = file;

/** Differences after changes, each as `subject: property: before -> after`; those of the epoch left out. */
function after(...changes: MapChange[]): string[] {
  return lines(applyChanges(map, changes, { keepUpmaps: true })).filter((line) => !line.includes('epoch'));
}

function lines(other: typeof map, from = map): string[] {
  return mapDifferences(from, other).map(
    ({ subject, property, before = '-', after = '-' }) => `${subject}: ${property}: ${before} -> ${after}`,
  );
}

/** The map with its CRUSH map edited as text. */
function edited(change: (text: string) => string): typeof map {
  return { ...map, crush: readCrushText(change(writeCrushText(map.crush))) };
}

/** As the text has it, which rounds weights. */
const asText = edited((text) => text);

describe('differences of maps', () => {
  it('finds none between a map and itself, nor its text read again', () => {
    expect(mapDifferences(map, map)).toEqual([]);
    expect(lines({ ...map, epoch: map.epoch + 1 })).toEqual(['OSDMap: epoch: 97 -> 98']);
  });

  it('names OSDs with their states and weights', () => {
    expect(after({ kind: 'out', targets: ['osd.2'] })).toEqual(['osd.2: reweight: 0.34999 -> 0 (out)']);
    expect(after({ kind: 'down', targets: ['osd.5'] })).toEqual(['osd.5: state: exists,up -> exists']);
    expect(after({ kind: 'primary-affinity', targets: ['osd.1'], weight: 0.5 })).toEqual([
      'osd.1: primary_affinity: 1.00000 -> 0.50000',
    ]);
  });

  it('names pools with what is set of them', () => {
    const [pool] = map.pools.values();
    if (pool === undefined) throw new Error('the example has pools');
    expect(after({ kind: 'pool', pool: pool.name, field: 'size', value: '4' })).toEqual([
      `pool ${pool.id} (${pool.name}): size: ${pool.size} -> 4`,
    ]);
    const pools = new Map(map.pools);
    pools.delete(pool.id);
    expect(lines({ ...map, pools })).toEqual([
      expect.stringMatching(
        `^pool ${pool.id} \\(${pool.name}\\): pool: replicated, size 3, pg_num \\d+, rule .* -> -$`,
      ),
    ]);
  });

  it('tells what of the CRUSH map is another', () => {
    const host = [...map.crush.itemNames].find(
      ([id, name]) => map.crush.buckets[-1 - id]?.type === 1 && !name.includes('~'),
    );
    const name = host?.[1] ?? '';
    const renamed = edited((text) => text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), 'elsewhere'));
    expect(lines(renamed, asText).filter((line) => line.startsWith('host'))).toEqual([
      `host elsewhere: name: ${name} -> elsewhere`,
    ]);
    const tries = edited((text) => text.replace('choose_total_tries 50', 'choose_total_tries 60'));
    expect(lines(tries, asText)).toEqual(['choose_total_tries: value: 50 -> 60']);
    const firstn = edited((text) => text.replace('step chooseleaf firstn 0', 'step chooseleaf firstn 2'));
    expect(lines(firstn, asText)).toEqual([
      expect.stringMatching(/^rule \d+ \(.*\): steps: .*firstn 0.* -> .*firstn 2/),
    ]);
    const heavier = edited((text) => text.replace(/item osd\.0 weight [\d.]+/, 'item osd.0 weight 7.5'));
    expect(lines(heavier, asText)[0]).toMatch(/^host .*: weight: [\d.]+ -> [\d.]+$/);
    expect(lines(heavier, asText)).toContainEqual(expect.stringMatching(/^osd\.0: weight: .* -> 7\.50000$/));
  });

  it('lists upmaps and temps by PG', () => {
    const pgUpmapItems = new Map(map.pgUpmapItems).set(4, new Map([[31, [[1, 2]] as [number, number][]]]));
    const found = mapDifferences({ ...map, pgUpmapItems: new Map() }, { ...map, pgUpmapItems });
    expect(found).toContainEqual({
      kind: 'upmap',
      subject: 'PG 4.1f',
      pool: 4,
      property: 'pg_upmap_items',
      before: undefined,
      after: '1->2',
    });
  });
});
