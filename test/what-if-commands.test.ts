import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyChanges, type MapChange, parseChanges } from '../src/analysis/what-if.ts';
import { changeCommands } from '../src/analysis/what-if/commands.ts';
import { shellWord, weightText } from '../src/analysis/what-if/shell-words.ts';
import { changeWords } from '../src/analysis/what-if/words.ts';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import type { OsdMap } from '../src/osdmap/model.ts';
import { Random } from './random.ts';

const map = readOsdMapBinary(readFileSync('examples/cluster-8osd/osdmap'));
const commands = (text: string, of: OsdMap = map) => changeCommands(of, parseChanges(text) as MapChange[]);

describe('words of changes', () => {
  it.each([
    'out osd.3,host2',
    'reweight osd.1-2 0.85',
    'primary-affinity 3 0.0000001',
    'crush-weight host2 14.5',
    'reweight-subtree host2 3',
    'add-osds 8-10,12 weight=1.5 class=ssd host=new root=default',
    'add-bucket r1 type=rack root=default',
    'remove host1',
    'move host1,osd.5 rack=r1 root=default',
    'class osd.1 -',
    'class osd.1,osd.2 nvme',
    'pool rbd pg_num 256',
    'rule ec failure-domain rack',
    'tunables jewel',
    'upmap 4.1f 3,7,9',
    'upmap-items 4.1f 3:7,1:2',
    'rm-upmap 4.1f',
    'rm-upmap-items 4.1f',
  ])('are read back as the change: %s', (text) => {
    const [change] = parseChanges(text);
    if (change === undefined || change.kind === 'crushmap-file') throw new Error('no change');
    expect(parseChanges(changeWords(change))).toEqual([change]);
  });
});

describe('commands of changes', () => {
  it.each<[string, readonly string[]]>([
    ['out osd.3; in 3', ['ceph osd out 3', 'ceph osd in 3']],
    ['reweight osd.1-2 0.85', ['ceph osd reweight 1 0.85', 'ceph osd reweight 2 0.85']],
    ['primary-affinity osd.1 0.5', ['ceph osd primary-affinity osd.1 0.5']],
    ['crush-weight osd.3 1.5', ['ceph osd crush reweight osd.3 1.5']],
    ['tunables jewel', ['ceph osd crush tunables jewel']],
    ['add-bucket r9 type=rack root=default', ['ceph osd crush add-bucket r9 rack root=default']],
    ['move osd.5 host=host0', ['ceph osd crush move osd.5 host=host0']],
    ['upmap-items 1.2 3:7', ['ceph osd pg-upmap-items 1.2 3 7']],
    ['rm-upmap 1.2', ['ceph osd rm-pg-upmap 1.2']],
  ])('%s', (text, lines) => {
    expect(commands(text)).toEqual({ lines, needsCrushFile: false });
  });

  it('weigh the OSDs of a bucket so that Ceph comes to the same 16.16', () => {
    const { lines } = commands('crush-weight host1 3.3333');
    const after = applyChanges(map, parseChanges('crush-weight host1 3.3333') as MapChange[]);
    expect(lines[0]).toBe('# host1 comes to weigh 3.3333 in all');
    expect(lines.length).toBeGreaterThan(2);
    let text = map;
    for (const line of lines.slice(1)) {
      const [, name = '', weight] = /^ceph osd crush reweight (osd\.\d+) ([\d.]+)$/.exec(line) ?? [];
      text = applyChanges(text, [{ kind: 'crush-weight', name, weight: Number(weight) }]);
    }
    expect(text.crush).toEqual(after.crush);
  });

  it('make a new rule for another failure domain, with the pools that follow, also twice', () => {
    const name = map.crush.ruleNames.get(0) ?? '';
    const pools = [...map.pools.values()].filter(({ crushRule }) => crushRule === 0);
    const first = pools[0]?.name ?? '';
    const { lines, needsCrushFile } = commands(
      `rule ${name} failure-domain osd; rule ${name} failure-domain rack; pool ${first} rule ${name}`,
    );
    expect(needsCrushFile).toBe(false);
    expect(lines[0]).toMatch(new RegExp(`^ceph osd crush rule create-replicated ${name}_osd default osd`));
    expect(lines.filter((line) => line.endsWith(`crush_rule ${name}_osd`))).toHaveLength(pools.length);
    expect(lines).toContain(`ceph osd crush rule create-replicated ${name}_rack default rack`);
    expect(lines.at(-1)).toBe(`ceph osd pool set ${shellWord(first)} crush_rule ${name}_rack`);
  });

  it('set the CRUSH map from a file where Ceph has no command, and then all of its changes', () => {
    const rule = map.crush.rules.find((each) => each?.type === 3);
    const name = map.crush.ruleNames.get(rule?.id ?? -1) ?? '';
    const { lines, needsCrushFile } = commands(
      `out osd.1; crush-weight osd.2 2; rule ${name} failure-domain osd; move osd.5 host=host0; reweight 3 0.5`,
    );
    expect(needsCrushFile).toBe(true);
    expect(lines).toEqual([
      'ceph osd out 1',
      '# Ceph has no command for a change of the CRUSH map: all of them are in crushmap',
      'ceph osd setcrushmap -i crushmap',
      'ceph osd reweight 3 0.5',
    ]);
  });

  it('remove a host from the OSDs up', () => {
    const { lines } = commands('remove host1');
    expect(lines.filter((line) => line.startsWith('ceph osd purge '))).not.toEqual([]);
    expect(lines[1]).toMatch(/^ceph osd stop \d/);
    expect(lines.at(-1)).toBe('ceph osd crush rm host1');
  });

  it('say what they do not do', () => {
    expect(commands('up osd.1').lines).toEqual(['# start the daemons of osd.1: they come up by themselves']);
    expect(commands('down osd.1').lines.at(-1)).toBe('ceph osd stop 1');
    expect(commands('add-osds 8 weight=1 class=ssd host=new root=default').lines).toEqual([
      '# create osd.8 first, as you deploy OSDs',
      'ceph osd crush add osd.8 1 host=new root=default',
      'ceph osd crush set-device-class ssd osd.8',
    ]);
  });

  it('keep the autoscaler from taking pg_num back, and are sure of one replica', () => {
    const pool = [...map.pools.values()].find(({ type }) => type === 1);
    if (pool === undefined) throw new Error('no pool');
    const scaled = { ...pool, details: { ...pool.details, pgAutoscaleMode: 2 } };
    const other = { ...map, pools: new Map(map.pools).set(pool.id, scaled) };
    const { lines } = commands(`pool ${pool.id} pg_num 64; pool ${pool.id} size 1`, other);
    const name = shellWord(pool.name);
    expect(lines[0]).toBe(`ceph osd pool set ${name} pg_autoscale_mode off`);
    expect(lines[1]).toBe(`ceph osd pool set ${name} pg_num 64`);
    expect(lines.at(-1)).toBe(`ceph osd pool set ${name} size 1 --yes-i-really-mean-it`);
  });

  it('quote names so that a shell takes them as they are, whatever is in them', () => {
    const seed = Number(process.env.SEED ?? 20264);
    const random = new Random(seed);
    const names = [
      'a b',
      "it's",
      '$(touch x)',
      '`x`',
      'a\nrm -rf',
      '\\n%s',
      "'\t'%",
      'über',
      '\u001b[2J',
      '',
    ];
    const signs = ['a', "'", '"', '$', '`', '\\', '%', '\n', '\t', ' ', ';', '#', '\u0007', 'é'];
    for (let i = 0; i < 40; i++) {
      names.push(Array.from({ length: 6 }, () => signs[random.below(signs.length)]).join('') + 'z');
    }
    const script = names.map((name) => `printf '%s\\0' ${shellWord(name)}`).join('\n');
    const output = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(output.split('\0').slice(0, -1), `seed ${seed}`).toEqual(names);
    for (const name of names) expect(shellWord(name)).not.toMatch(/[\u0000-\u001f]/);
  });

  it('do not let names out of comments', () => {
    const pool = [...map.pools.values()][0];
    if (pool === undefined) throw new Error('no pool');
    const names = new Map(map.crush.ruleNames).set(0, 'x\nreboot');
    const crush = { ...map.crush, ruleNames: names };
    const { lines } = changeCommands({ ...map, crush }, [
      { kind: 'failure-domain', rule: 'x\nreboot', type: 'osd' },
    ]);
    expect(lines.join('\n').split('\n')).toHaveLength(lines.length);
  });

  it('write weights as short as Ceph reads them back', () => {
    const seed = Number(process.env.SEED ?? 20265);
    const random = new Random(seed);
    expect(weightText(0x10000)).toBe('1');
    expect(weightText(0x18000)).toBe('1.5');
    expect(weightText(0)).toBe('0');
    expect(weightText(119_209)).toBe('1.819');
    for (let i = 0; i < 2000; i++) {
      const fixed = random.below(i % 2 === 0 ? 2 ** 24 : 2 ** 20);
      const read = Math.trunc(Math.fround(Math.fround(Number(weightText(fixed))) * 0x10000));
      expect(read, `seed ${seed}, weight ${fixed}`).toBe(fixed);
    }
  });

  it('set a CRUSH map from a file of any name', () => {
    const { crush } = map;
    expect(changeCommands(map, [{ kind: 'crushmap', crush }], { crushFile: 'my map' }).lines).toEqual([
      '# Ceph has no command for a change of the CRUSH map: all of them are in my map',
      "ceph osd setcrushmap -i 'my map'",
    ]);
  });
});
