/** Names in a map are text from elsewhere: they must not command the terminal that shows them. */
import { describe, expect, test } from 'vitest';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { writeOsdMapBinary } from '../src/formats/osdmap-encode.ts';
import type { OsdMap } from '../src/osdmap/model.ts';
import { fixture } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();

/** Clears the screen, sets the title, and a control character of eight bits. */
const HOSTILE = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r';
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

function hostileMap(): string {
  const map = readOsdMapBinary(fixture('cluster-10osd/d.osdmap'));
  const named: OsdMap = {
    ...map,
    pools: new Map([...map.pools].map(([id, pool]) => [id, { ...pool, name: pool.name + HOSTILE }])),
    crush: {
      ...map.crush,
      itemNames: new Map([...map.crush.itemNames].map(([id, name]) => [id, id < 0 ? name + HOSTILE : name])),
      ruleNames: new Map([...map.crush.ruleNames].map(([id, name]) => [id, name + HOSTILE])),
    },
  };
  return file('map', writeOsdMapBinary(named));
}

describe('control characters of names', () => {
  test.each([
    ['info', 'MAP'],
    ['start', 'MAP'],
    ['explain', 'MAP', '1.7', '--verbose'],
    ['explain', 'MAP', '1.7', '--format', 'json'],
    ['explain', 'MAP', '99.1'],
    ['explain', 'MAP', '--pool', `x${HOSTILE}`, '--object', 'a'],
    ['map', 'MAP', '--pool', `x${HOSTILE}`],
    ['test', 'MAP'],
    ['compare', 'MAP', 'MAP'],
    ['whatif', 'MAP', 'out', 'osd.1'],
    [`no${HOSTILE}`],
  ])('are written out: %s', async (...args) => {
    const path = hostileMap();
    const { stdout, stderr } = await run(args.map((arg) => (arg === 'MAP' ? path : arg)));
    expect(stdout + stderr).not.toMatch(CONTROLS);
    expect((stdout + stderr).length).toBeGreaterThan(10);
    if (args.includes('json')) {
      const { pool } = JSON.parse(stdout) as { pool: { name: string } };
      expect(pool.name).toContain(HOSTILE);
    }
  });

  test('are left to a drop-in, as Ceph leaves them', async () => {
    const path = hostileMap();
    const { stdout } = await run(['osdmaptool', path, '--print']);
    expect(stdout).toContain(HOSTILE);
  });
});
