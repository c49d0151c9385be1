/**
 * `crush-wasm start`: what it shows and what it suggests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FIXTURES, fixture, fixtureText } from './fixtures.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const OSDMAP = join(FIXTURES, 'cluster-8osd/osdmap');
const DUMPS = ['osd-dump.json', 'crush-dump.json'].map((name) => join(FIXTURES, 'cluster-8osd', name));
const file = useTempFolder();

/** The suggested commands of an output. */
function suggestions(stdout: string): string[] {
  return stdout
    .slice(stdout.indexOf('Next, try:\n'))
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim());
}

describe('an OSDMap', () => {
  test('is the example where none is named', async () => {
    const { status, stdout, stderr } = await run(['start']);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^321 PGs of 8 pools mapped in [0-9.]+ ms; [0-9,]+ mappings a second/m);
    expect(stdout).toMatch(/^osd\.3 {2}198 {2}x0\.36 +130 {2}#+$/m);
    expect(stdout).toMatch(/^osd\.7 {3}12 {2}- +0 {2}#+$/m); // out, and still in some acting sets
    expect(suggestions(stdout)[0]).toMatch(/ map examples\/cluster-8osd\/osdmap --pool fsmeta$/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(105);
  });

  test('says how full OSDs are for their weight', async () => {
    // What osdmaptool counts: osd, count, first, primary, CRUSH weight, reweight. An OSD that is out has 12 more.
    const rows = [...fixtureText('cli/test-map-pgs.txt').matchAll(/^osd\.\d+\t.*$/gm)].map(([line]) =>
      line.slice('osd.'.length).split('\t').map(Number),
    );
    expect(rows).toHaveLength(7);
    const total = 12 + rows.reduce((sum, row) => sum + row[1]!, 0);
    const totalWeight = rows.reduce((sum, row) => sum + row[4]! * row[5]!, 0);
    const { stdout } = await run(['start', OSDMAP]);
    for (const [osd, count, , , crushWeight, reweight] of rows) {
      const expected = (total * crushWeight! * reweight!) / totalWeight;
      expect(stdout).toMatch(new RegExp(`^osd\\.${osd} +${count} +x${(count! / expected).toFixed(2)} `, 'm'));
    }
  });

  test('may be of two JSON files', async () => {
    const { status, stdout } = await run(['start', ...DUMPS]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^321 PGs of 8 pools mapped/m);
    expect(suggestions(stdout).map((line) => line.replace(/^.*crush-wasm /, ''))).toEqual([
      `map ${DUMPS.join(' ')} --pool fsmeta`,
      `map ${DUMPS.join(' ')} --pool fsmeta --object my-object --format json`,
      `info ${DUMPS.join(' ')}`,
    ]);
  });

  test('may be read although its checksum does not fit', async () => {
    const bytes = fixture('cluster-8osd/osdmap');
    bytes[bytes.length - 1]! ^= 4;
    const damaged = file('damaged', bytes);
    expect((await run(['start', damaged])).stderr).toContain('--ignore-crc');
    const { status, stdout } = await run(['start', damaged, '--ignore-crc']);
    expect(status).toBe(0);
    for (const line of suggestions(stdout)) expect(line).toContain(' --ignore-crc');
  });

  test('without OSDs that are in says so at once, and how to get some', async () => {
    const path = file('simple', '');
    await run(['osdmaptool', '--createsimple', '5000', path, '--clobber', '--with-default-pool']);
    const { status, stdout } = await run(['start', path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^POOL {2}NAME +TYPE +SIZE +PGS +RULE\n +1 +rbd +replicated/m);
    expect(stdout).toContain('\n\nNo OSD of this map exists; nothing can be mapped.\n\nNext, try:\n');
    const cure = suggestions(stdout)[0]!.replace(/^.*? osdmaptool /, '');
    expect(cure).toBe(`${path} --mark-up-in --adjust-crush-weight 0:1 --save`);
    for (const mark of ['--mark-in', '--mark-out']) {
      await run(['osdmaptool', path, mark, '17', '--adjust-crush-weight', '0:1', '--save']);
    }
    expect((await run(['start', path])).stdout).toContain('No OSD of this map is in; nothing can be mapped.');
    const one = ['map', path, '--pg-num', '1'];
    expect((await run(one)).stderr).toBe(
      'crush-wasm: note: no OSD of this map is in; nothing can be mapped\n',
    );
    expect((await run(['osdmaptool', ...cure.split(' ')])).stdout).toContain('writing epoch');
    expect((await run(one)).stderr).toBe('');
  });

  test('that takes long is mapped in part', async () => {
    const path = file('one-osd', '');
    await run(['osdmaptool', '--createsimple', '5000', path, '--clobber', '--with-default-pool']);
    await run(['osdmaptool', path, '--mark-in', '17', '--adjust-crush-weight', '0:1', '--save']);
    const { status, stdout } = await run(['start', path]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^[0-9,]+ of the 320,000 PGs of 1 pool, for more would take long, mapped in /m);
    expect(Number(/mapped in ([0-9.]+) ms/.exec(stdout)?.[1])).toBeLessThan(5000);
  });

  test('without pools says so', async () => {
    const dump = JSON.parse(readFileSync(DUMPS[0]!, 'utf8')) as Record<string, unknown>;
    const none = { pools: [], pg_temp: [], primary_temp: [], pg_upmap: [], pg_upmap_items: [] };
    const path = file('no-pools.json', JSON.stringify({ ...dump, ...none }));
    const { status, stdout } = await run(['start', path, DUMPS[1]!]);
    expect(status).toBe(0);
    expect(stdout).toContain('\n\nThis map has no pools, so there is nothing to map.\n\nNext, try:\n');
    expect(stdout).not.toContain('NaN');
  });
});

describe('a CRUSH map', () => {
  test('is shown by its fullest and emptiest devices where it has many', async () => {
    const { status, stdout } = await run(['start', join(FIXTURES, 'crushmaps/s.crushmap')]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^[0-9,]+ inputs by each of \d+ rules to 3 items mapped in /m);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.startsWith('osd.'))).toHaveLength(32);
    const ratios = [...stdout.matchAll(/^osd\.\d+ +\d+ {2}x([0-9.]+)/gm)].map(([, ratio]) => Number(ratio));
    expect(ratios).toEqual([...ratios].sort((a, b) => b - a));
    expect(lines[lines.findIndex((line) => line.startsWith('OSD')) + 17]).toBe('... 112 between ...');
  });
});

describe('what it suggests', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  async function program(env: Readonly<Record<string, string | undefined>>): Promise<string> {
    for (const name of ['npm_lifecycle_event', 'npm_package_name', 'npm_command'])
      vi.stubEnv(name, env[name]);
    const [first = ''] = suggestions((await run(['start', OSDMAP])).stdout);
    return first.replace(/ map .*/, '');
  }

  test.each([
    ['crush-wasm', {}],
    ['npm run -s crush --', { npm_lifecycle_event: 'start', npm_package_name: 'crush-wasm' }],
    ['npm run -s crush --', { npm_lifecycle_event: 'crush', npm_package_name: 'crush-wasm' }],
    ['npx crush-wasm', { npm_lifecycle_event: 'npx', npm_package_name: 'crush-wasm', npm_command: 'exec' }],
    ['crush-wasm', { npm_lifecycle_event: 'start', npm_package_name: 'other', npm_command: 'run-script' }],
  ])('starts with %s after %j', async (expected, env) => {
    expect(await program(env)).toBe(expected);
  });

  test('can be pasted where a path or pool has spaces', async () => {
    const dump = readFileSync(DUMPS[0]!, 'utf8').replaceAll('"fsmeta"', '"it\'s meta"');
    const path = file('a dump.json', dump);
    const { stdout } = await run(['start', path, DUMPS[1]!]);
    expect(suggestions(stdout)[0]).toContain(` map '${path}' ${DUMPS[1]} --pool 'it'\\''s meta'`);
  });
});
