/** Twenty changes to a real cluster, predicted one after the other from the first map alone. */
import { expect, test } from 'vitest';
import { applyChanges } from '../src/analysis/what-if.ts';
import { parseChanges } from '../src/analysis/what-if/text.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { PgMapper, view } from '../src/osdmap/pg-mapper.ts';
import { fixture, fixtureText } from './fixtures.ts';

/** The cluster is of this release. */
const RELEASE = { release: 16 };

test('every PG is where the cluster put it', () => {
  let map = readOsdMapBinary(fixture('changes/start.osdmap'));
  const expected = placement(map);
  const steps = fixtureText('changes/changes.txt').split(/^(?=# [^ ])/m);
  expect(steps.length).toBe(20);
  for (const step of steps) {
    const [title = '', ...lines] = step.trimEnd().split('\n');
    for (const line of lines) {
      if (line.startsWith('#')) continue;
      const at = line.indexOf(' ');
      expected.set(line.slice(0, at), line.slice(at + 1));
    }
    const change = title.slice(2);
    map = applyChanges(
      map,
      parseChanges(change).filter((each) => each.kind !== 'crushmap-file'),
      RELEASE,
    );
    expect({ change, pgs: placement(map) }).toEqual({ change, pgs: expected });
  }
});

function placement(map: ReturnType<typeof readOsdMapBinary>): Map<string, string> {
  const found = new Map<string, string>();
  for (const columns of new PgMapper(map, RELEASE).mapAll()) {
    for (let i = 0; i < columns.count; i++) {
      const { pgid, up, upPrimary } = view(columns, i);
      found.set(`${pgid.pool}.${pgid.ps.toString(16)}`, `[${up.join()}] p${upPrimary}`);
    }
  }
  return found;
}
