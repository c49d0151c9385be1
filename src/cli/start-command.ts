/** `crush-wasm start`: maps everything in a map and shows how the OSDs fare; what `npm start` runs. */
import { relative } from 'node:path';
import { shellWord } from '../analysis/what-if/shell-words.ts';
import type { CrushMap } from '../crush/model.ts';
import { itemPresent, itemWeight } from '../crush/names.ts';
import { CrushError } from '../errors.ts';
import { CrushMapper } from '../kernel/crush-mapper.ts';
import type { OsdMap, Pool } from '../osdmap/model.ts';
import { PgMapper } from '../osdmap/pg-mapper.ts';
import { chooseArgsOf, deviceWeights } from './crushtool/device-weights.ts';
import { poolFacts, poolRuleTitle } from '../analysis/map-facts.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { fileTitle, loadMapFile } from './load.ts';
import { nextSteps } from './next-steps.ts';
import { markUpInCommand, noOsdReason } from './no-osds.ts';
import { noun } from '../analysis/noun.ts';
import { loadLines, OsdLoad } from './osd-load.ts';
import { packageFile, packageVersion } from './package-root.ts';
import { tableLines } from './table.ts';

const EXAMPLE = 'examples/cluster-8osd/osdmap';
/** Most PGs that are mapped at a time, and how many first: a PG may take long where most OSDs are out. */
const RANGE = 1 << 14;
const FIRST_RANGE = 4;
/** More are mapped at a time as long as they take less than this. */
const QUICK_MILLISECONDS = 50;
/** What is not mapped in this time is left out. */
const MOST_MILLISECONDS = 1500;
/** Small maps are mapped again and again for this long, so that the speed means something. */
const MEASURE_MILLISECONDS = 200;
/** Most inputs, and items, that a rule of a CRUSH map is tried with. */
const RULE_INPUTS = 10_000;
const RULE_ITEMS = 3;
/** Inputs that a rule is tried with whatever it takes. */
const FIRST_RULE_INPUTS = 1;

/** Options of the command, as commander gives them. */
export interface StartOptions {
  readonly ignoreCrc?: boolean;
}

/** What was loaded, as people read it and as they would name it in the next command. */
interface Named {
  readonly title: string;
  /** The file arguments of a command. */
  readonly words: string;
  /** Options of our own that the files need; the drop-ins do not have them. */
  readonly needs: string;
  /** Whether the drop-ins read it too. */
  readonly isPlain: boolean;
}

/** Runs `crush-wasm start [FILE] [CRUSH_FILE]`. */
export async function startCommand(
  file: string | undefined,
  crushFile: string | undefined,
  { ignoreCrc = false }: StartOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  if (file === undefined && crushFile !== undefined) throw misuse('--crush-file goes with a FILE');
  const example = file === undefined ? packageFile(EXAMPLE) : undefined;
  const path = file ?? example;
  if (path === undefined) {
    throw new CrushError(
      'io',
      'the example map is not part of this installation; name a file: crush-wasm start FILE',
    );
  }
  const onNote = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const loaded = await loadMapFile(path, io, { crushFile, ignoreCrc, onNote });
  const shown = example === undefined ? path : relative('.', path) || path;
  const named: Named = {
    title: fileTitle(shown, crushFile),
    words: [shown, ...(crushFile === undefined ? [] : [crushFile])].map(shellWord).join(' '),
    needs: ignoreCrc ? ' --ignore-crc' : '',
    isPlain: crushFile === undefined && !ignoreCrc,
  };
  try {
    if (loaded.kind === 'osdmap') startOsdMap(loaded.map, named, io, out);
    else startCrushMap(loaded.map, named, io, out);
  } catch (error) {
    throw error instanceof CrushError ? error.at({ file: named.title }) : error;
  }
}

function startOsdMap(map: OsdMap, named: Named, io: CommandIo, out: TextSink): void {
  out.add(`crush-wasm ${packageVersion()}, ${named.title}: OSDMap of epoch ${map.epoch}\n\n`);
  const pools = [...map.pools.values()];
  const { words, needs } = named;
  const info = `info ${words}${needs}`;
  if (pools.length === 0) {
    out.add(`This map has no pools, so there is nothing to map.\n\n${nextSteps([info])}`);
    return;
  }
  const rows = pools.map((pool) => {
    const facts = poolFacts(map, pool);
    return [pool.id, pool.name, facts.type, pool.size, pool.pgNum, poolRuleTitle(facts)];
  });
  out.add(`${tableLines(['POOL', 'NAME', 'TYPE', 'SIZE', 'PGS', 'RULE'], rows).join('\n')}\n\n`);

  const reason = noOsdReason(map);
  if (reason !== undefined) {
    const command = named.isPlain && words !== '-' ? markUpInCommand(map, words) : undefined;
    const cure = command === undefined ? [] : [command];
    out.add(`${reason[0]?.toUpperCase()}${reason.slice(1)}.\n\n${nextSteps([...cure, info])}`);
    return;
  }

  const mapper = new PgMapper(map);
  const load = new OsdLoad(map.maxOsd);
  const all = pools.reduce((sum, { pgNum }) => sum + pgNum, 0);
  const mapAll = (visit: boolean): number =>
    mapInTurns(pools, (id, range) => {
      const { acting } = mapper.mapPool(id, range);
      if (visit) load.add(acting.osds, acting.primaries);
    });
  const ofPools = `of ${pools.length} ${noun(pools.length, 'pool')}`;
  const timed = measure(mapAll, (pgs) =>
    pgs === all
      ? `${number(pgs)} ${noun(pgs, 'PG')} ${ofPools}`
      : `${number(pgs)} of the ${number(all)} PGs ${ofPools}, for more would take long,`,
  );
  out.add(`${timed}\n\n`);
  out.add(
    'PGs that have each OSD in their acting set, and how many of them it LEADS. OF EXPECTED compares the\n',
  );
  out.add(
    'PGs with its share by weight (CRUSH weight x reweight); pools that use only some OSDs shift it.\n',
  );
  const lines = loadLines({
    load,
    counted: 'PGS',
    isShown: (osd) => (map.osdWeight[osd] ?? 0) > 0 || (load.items[osd] ?? 0) > 0,
    weightOf: (osd) => (itemWeight(map.crush, osd) ?? 0) * (map.osdWeight[osd] ?? 0),
    columns: io.stdout.columns,
  });
  out.add(`${lines.join('\n')}\n\n`);
  const pool = pools.find(({ pgNum }) => pgNum > 0);
  const ofPool = pool === undefined ? [] : [`map ${words} --pool ${poolWord(pool)}${needs}`];
  out.add(
    nextSteps([
      ...ofPool,
      ...ofPool.map((command) => `${command} --object my-object --format json`),
      info,
      ...(named.isPlain ? [`osdmaptool ${words} --test-map-pgs`] : []),
    ]),
  );
}

/**
 * Maps PGs of each pool in turn until all are or time is up, and says how many were: a few first, and more at a time
 * as long as that is quick.
 */
function mapInTurns(
  pools: readonly Pool[],
  mapRange: (pool: number, range: { first: number; count: number }) => void,
): number {
  const start = performance.now();
  const next = new Map<number, number>();
  let pgs = 0;
  let most = FIRST_RANGE;
  let before = -1;
  while (pgs > before) {
    before = pgs;
    for (const { id, pgNum } of pools) {
      const first = next.get(id) ?? 0;
      const count = Math.min(most, pgNum - first);
      if (count === 0) continue;
      const begin = performance.now();
      if (begin - start > MOST_MILLISECONDS) return pgs;
      mapRange(id, { first, count });
      next.set(id, first + count);
      pgs += count;
      if (performance.now() - begin < QUICK_MILLISECONDS) most = Math.min(most * 2, RANGE);
      else most = Math.max(most >> 1, 1);
    }
  }
  return pgs;
}

/** A pool's name for a command; its id where the name would be taken for an option. */
function poolWord({ id, name }: Pool): string {
  return name === '' || name.startsWith('-') ? String(id) : shellWord(name);
}

function startCrushMap(map: CrushMap, named: Named, io: CommandIo, out: TextSink): void {
  const rules = map.rules.filter((rule) => rule !== undefined);
  out.add(
    `crush-wasm ${packageVersion()}, ${named.title}: CRUSH map with ${rules.length} ${noun(rules.length, 'rule')}\n\n`,
  );
  const { words } = named;
  const [rule] = rules;
  if (rule === undefined) {
    out.add(`This map has no rules, so there is nothing to map.\n\n${nextSteps([`info ${words}`])}`);
    return;
  }
  const mapper = new CrushMapper(map);
  const load = new OsdLoad(map.maxDevices);
  const common = { size: RULE_ITEMS, reweights: deviceWeights(map), chooseArgs: chooseArgsOf(map) };
  let inputs = 0;
  const mapInputs = (first: number, count: number, visit: boolean): void => {
    for (const { id } of rules) {
      const { items } = mapper.mapRange({ rule: id, first, count, ...common });
      if (visit) load.add(items, undefined);
    }
  };
  const mapAll = (visit: boolean): number => {
    // The first pass finds out how many inputs there is time for: twice as many as long as they are quick.
    const start = performance.now();
    while (visit && inputs < RULE_INPUTS && performance.now() - start < MEASURE_MILLISECONDS) {
      const count = Math.min(Math.max(inputs, FIRST_RULE_INPUTS), RULE_INPUTS - inputs);
      mapInputs(inputs, count, true);
      inputs += count;
    }
    if (!visit) mapInputs(0, inputs, false);
    return rules.length * inputs;
  };
  const what = `by ${rules.length === 1 ? 'the rule' : `each of ${rules.length} rules`} to ${RULE_ITEMS} items`;
  out.add(`${measure(mapAll, () => `${number(inputs)} ${noun(inputs, 'input')} ${what}`)}\n\n`);
  out.add(
    'Mappings that have each device. OF EXPECTED compares them with its share by weight; rules that use\n',
  );
  out.add('only some devices shift it.\n');
  const lines = loadLines({
    load,
    counted: 'MAPPINGS',
    isShown: (osd) => itemPresent(map, osd),
    weightOf: (osd) => itemWeight(map, osd) ?? 0,
    columns: io.stdout.columns,
  });
  out.add(`${lines.join('\n')}\n\n`);
  out.add(
    nextSteps([
      `map ${words} --rule ${rule.id} --num-rep 3 --max-x 9`,
      `info ${words}`,
      `crushtool -i ${words} --test --num-rep 3 --show-utilization`,
    ]),
  );
}

/** Maps everything, again until enough time has passed, and says how long it took. */
function measure(mapAll: (visit: boolean) => number, name: (mapped: number) => string): string {
  const start = performance.now();
  const mapped = mapAll(true);
  const first = performance.now() - start;
  let passes = 0;
  let spent = 0;
  while (mapped > 0 && first < MEASURE_MILLISECONDS && spent < MEASURE_MILLISECONDS) {
    mapAll(false);
    passes++;
    spent = performance.now() - start - first;
  }
  const perSecond =
    mapped === 0 ? 0 : passes === 0 ? (mapped * 1000) / first : (mapped * passes * 1000) / spent;
  const times = passes > 1 ? ` (mean of ${number(passes)} more passes)` : '';
  return `${name(mapped)} mapped in ${first.toFixed(1)} ms; ${number(perSecond)} mappings a second${times}`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
