/**
 * The maps that are measured. The first is a file of the project; the others are made from the seed, so that anyone
 * gets the whole table; where CRUSH_CORPUS names a folder with `bench-maps/*.crushmap`, its maps take the place of
 * those of the same name, and more are added.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMap, RULE_OP, RULE_TYPE } from '../../dist/index.js';
import { crushBytes } from './crush-bytes.mjs';
import { makeMap, weight } from './maps.mjs';
import { Random } from './random.mjs';
import { CORPUS, ROOT, SEED } from './settings.mjs';

/** The 12 x 12 map that the project carries. */
export const CARRIED_MAP = join(ROOT, 'test/fixtures/crushmaps/s.crushmap');

/** Disks as clusters collect them over the years, in TiB. */
const DISKS = [1.819, 3.638, 7.277, 14.553, 18.19].map(weight);
const MIXED = '40 hosts of 8 to 36 OSDs, five weights';

/** Maps by id: what people call them, and how they come to be. */
const MAPS = {
  s: ['12 hosts x 12 OSDs', undefined],
  m: ['10 racks x 10 hosts x 10 OSDs', () => regular(10, 10, 10, 7.277)],
  l: ['20 racks x 21 hosts x 24 OSDs', () => regular(20, 21, 24, 3.638)],
  flat: ['400 hosts x 25 OSDs', () => regular(undefined, 400, 25, 3.638)],
  mixed: [MIXED, () => mixed()],
  mixed_cs: [`${MIXED}, a weight-set`, () => mixed({ weightSet: () => 0.9 + nextFraction() * 0.2 })],
  different: [
    '12 hosts x 12 OSDs, no two weights alike',
    () => makeMap({ hosts: 12, osds: 12 }, { weight: (osd) => weight(3.638) + 1009 * osd }),
  ],
  huge: ['50 racks x 40 hosts x 50 OSDs', () => regular(50, 40, 50, 7.277)],
  oldtun: [
    '5 racks x 8 hosts x 12 OSDs, straw, old tunables',
    () =>
      makeMap({ racks: 5, hosts: 8, osds: 12 }, { weight: weight(7.277), algorithm: 'straw', legacy: true }),
  ],
  msr_s: ['12 hosts x 12 OSDs', () => makeMap({ hosts: 12, osds: 12 }, { weight: weight(7.277), msr: true })],
  msr_mixed: [MIXED, () => mixed({ msr: true })],
};

/** What MSR rules of the benchmark maps are called here, and the size they are measured with. */
const MSR_RULES = {
  msr_firstn_host: ['MSR firstn, hosts', 3],
  msr_indep_4x3: ['MSR indep, 4 hosts x 3', 11],
  msr_indep_tuned: ['MSR indep, few tries', 6],
  msr_two_blocks: ['MSR firstn, two takes', 3],
  msr_osd_only: ['MSR indep, OSDs', 6],
};

let random = new Random(SEED);
function nextFraction() {
  return random.word() / 0x1_0000_0000;
}

function regular(racks, hosts, osds, tebibytes) {
  return makeMap({ racks, hosts, osds }, { weight: weight(tebibytes) });
}

function mixed(options = {}) {
  return makeMap(
    { hosts: 40, osds: () => random.between(8, 36) },
    {
      weight: () => random.pick(DISKS),
      classOf: () => (random.between(0, 3) === 0 ? 0 : 1),
      ...options,
    },
  );
}

/**
 * The maps, or those of `ids`, as `{ id, name, file, map, chooseArgs }`: `file` is where it was read from, if it was not
 * made here; `chooseArgs` is the set to map with, as crushtool has it.
 */
export function benchMaps(ids) {
  const files = corpusFiles();
  const all = [...new Set([...Object.keys(MAPS), ...files.keys()])];
  return all
    .filter((id) => ids === undefined || ids.includes(id))
    .map((id) => {
      const [name, make] = MAPS[id] ?? [id];
      const file = files.get(id) ?? (id === 's' ? CARRIED_MAP : undefined);
      random = new Random(SEED);
      const map = file === undefined ? make() : readMap(readFileSync(file)).map;
      return { id, name, file, map, chooseArgs: [0, -1].find((index) => map.chooseArgs.has(index)) };
    });
}

function corpusFiles() {
  const folder = join(CORPUS ?? '', 'bench-maps');
  if (CORPUS === undefined || !existsSync(folder)) return new Map();
  return new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.crushmap'))
      .map((file) => [file.replace(/\.crushmap$/, ''), join(folder, file)]),
  );
}

/** The rules of a map that are measured, as `{ rule, size, label }`: its MSR rules, or else rules 0 and 1. */
export function benchRules({ id, map }) {
  const rules = map.rules.filter((rule) => rule !== undefined);
  if (!id.startsWith('msr')) {
    return rules.slice(0, 2).map((rule) => {
      const indep = rule.steps.some(({ op }) => op === RULE_OP.chooseleafIndep || op === RULE_OP.chooseIndep);
      return indep
        ? { rule: rule.id, size: 11, label: 'indep 11' }
        : { rule: rule.id, size: 3, label: 'firstn 3' };
    });
  }
  return rules
    .filter(({ type }) => type === RULE_TYPE.msrFirstn || type === RULE_TYPE.msrIndep)
    .map((rule) => {
      const name = map.ruleNames.get(rule.id);
      const [label, size] = MSR_RULES[name] ?? [name, 3];
      return { rule: rule.id, size, label: `${label}, ${size}` };
    });
}

/** A map's file for commands, in Ceph's encoding. */
export function mapFileBytes({ file, map }) {
  return file === undefined ? crushBytes(map) : readFileSync(file);
}
