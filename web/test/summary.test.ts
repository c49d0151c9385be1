import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { readExample } from '../src/worker/examples.ts';
import { OpenDocument } from '../src/worker/open-document.ts';
import { openDocument } from '../src/worker/shelf.ts';
import { openFiles } from '../src/worker/topics/open.ts';
import { problems } from '../src/worker/topics/problems.ts';
import { summary } from '../src/worker/topics/summary.ts';
import { run } from '../../test/run-cli.ts';

const EXAMPLE = 'examples/cluster-8osd/osdmap';
const open = (id: string) => new OpenDocument({ ...readExample(id), notes: [] });

describe('the summary', () => {
  it('says what the info command says', async () => {
    const { facts } = summary(open('cluster-8osd'));
    const { stdout } = await run(['info', '--format', 'json', EXAMPLE]);
    const told = JSON.parse(stdout) as Record<string, unknown> & { osdmap: Record<string, unknown> };
    expect(facts.osdmap?.fsid).toBe(told.osdmap.fsid);
    expect(facts.osdmap?.flags).toEqual(told.osdmap.flags);
    expect(facts.features).toEqual(told.features);
    expect(facts.encoding).toBe(told.encoding);
    expect(facts.osdmap?.osds).toMatchObject({ exist: 8, up: 8, in: 7, reweighted: 2 });
    expect(facts.osdmap?.crc).toBe('ok');
    expect([...facts.crush.classes]).toEqual([
      ['hdd', 4],
      ['ssd', 4],
    ]);
  });

  it('points out tunables that are other than optimal', () => {
    const document = open('cluster-8osd');
    expect(summary(document).tunables.filter(({ usual }) => usual !== undefined)).toEqual([]);
    const { original } = document;
    const tunables = { ...original.crush.tunables, chooseleafStable: 0, chooseTotalTries: 19 };
    document.change({ ...original, crush: { ...original.crush, tunables } });
    const changed = summary(document);
    expect(changed.facts.crush.profile).toBeUndefined();
    expect(changed.tunables.filter(({ usual }) => usual !== undefined)).toEqual([
      { name: 'choose_total_tries', value: 19, usual: 50 },
      { name: 'chooseleaf_stable', value: 0, usual: 1 },
    ]);
  });

  it('says that a checksum was ignored', async () => {
    const bytes = new Uint8Array(readFileSync(EXAMPLE));
    // A byte of the fsid: content, but no length.
    const at = 30;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const file = { name: 'osdmap.97', bytes };
    await expect(openFiles([file])).rejects.toMatchObject({ code: 'bad-crc', place: { file: 'osdmap.97' } });
    await openFiles([file], true);
    expect(summary(openDocument()).facts.osdmap?.crc).toBe('wrong');
    await openFiles([{ name: 'osdmap.97', bytes: new Uint8Array(readFileSync(EXAMPLE)) }], true);
    expect(summary(openDocument()).facts.osdmap?.crc).toBe('ok');
  });

  it('tells of a CRUSH map alone without pools that are made up', () => {
    const { crush } = open('cluster-8osd').original;
    const document = new OpenDocument({
      name: 'crush',
      notes: [],
      file: { kind: 'crushmap', encoding: 'binary', map: crush },
    });
    const { facts, ratios } = summary(document);
    expect(facts.osdmap).toBeUndefined();
    expect(ratios).toBeUndefined();
    expect(facts.encoding).toBe('binary');
    expect(facts.crush.rules.map(({ name }) => name)).toEqual([
      ...['replicated_rule', 'hdd', 'ssd', 'racks', 'ec', 'ecosd'],
    ]);
    expect(summary(open('large')).facts.encoding).toBe('none: the map is made up by this page');
  });
});

describe('problems', () => {
  it('lead to the items that the hierarchy shows', () => {
    const found = problems(open('cluster-8osd'));
    const heavy = found.filter(({ code }) => code === 'heavy-domain');
    // host1~hdd is the shadow of host1, at -9.
    const shadow = heavy.find(({ where }) => where.includes('host1~hdd'));
    expect(shadow?.item).toBe(-9);
    expect(heavy.find(({ where }) => where.includes('osd.3'))?.item).toBe(3);
    expect(found.map(({ severity }) => severity)).toEqual(
      [...found.map(({ severity }) => severity)].sort((a, b) => RANK[a] - RANK[b]),
    );
  });
});

const RANK = { error: 0, warning: 1, note: 2 } as const;
