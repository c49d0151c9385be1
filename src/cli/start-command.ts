/** `crush-wasm start`: maps everything in a map and shows how the OSDs fare; what `npm start` runs. */
import { relative } from 'node:path';
import { ITEM_NONE, type CrushMap } from '../crush/model.ts';
import { itemPresent, itemWeight } from '../crush/names.ts';
import { CrushError } from '../errors.ts';
import { CrushMapper } from '../kernel/crush-mapper.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { PgMapper } from '../osdmap/pg-mapper.ts';
import { chooseArgsOf, deviceWeights } from './crush-tester.ts';
import type { CommandIo, TextSink } from './io.ts';
import { loadMapFile } from './load.ts';
import { packageFile, packageVersion } from './package-root.ts';
import { poolTypeName } from './pool-print.ts';
import { tableLines } from './table.ts';

const EXAMPLE = 'examples/cluster-8osd/osdmap';
/** PGs or inputs that are mapped at a time. */
const RANGE = 1 << 14;
/** Small maps are mapped again and again for this long, so that the speed means something. */
const MEASURE_MILLISECONDS = 200;
/** Inputs and items a rule of a CRUSH map is tried with. */
const RULE_INPUTS = 10_000;
const RULE_ITEMS = 3;
/** Most OSDs that are shown one by one. */
const SHOWN_OSDS = 32;

/** Runs `crush-wasm start [FILE]`. */
export async function startCommand(file: string | undefined, io: CommandIo, out: TextSink): Promise<void> {
  const example = file === undefined ? packageFile(EXAMPLE) : undefined;
  const path = file ?? example;
  if (path === undefined) {
    throw new CrushError(
      'io',
      'the example map is not part of this installation; name a file: crush-wasm start FILE',
    );
  }
  const loaded = await loadMapFile(path, io);
  const shown = example === undefined ? path : relative('.', path) || path;
  try {
    if (loaded.kind === 'osdmap') startOsdMap(loaded.map, shown, io, out);
    else startCrushMap(loaded.map, shown, io, out);
  } catch (error) {
    throw error instanceof CrushError ? error.at({ file: path }) : error;
  }
}

function startOsdMap(map: OsdMap, file: string, io: CommandIo, out: TextSink): void {
  out.add(`crush-wasm ${packageVersion()}, ${file}: OSDMap of epoch ${map.epoch}\n\n`);
  const pools = [...map.pools.values()];
  const rows = pools.map((pool) => [
    pool.id,
    pool.name,
    poolTypeName(pool),
    pool.size,
    pool.pgNum,
    map.crush.ruleNames.get(pool.crushRule) ?? String(pool.crushRule),
  ]);
  out.add(`${tableLines(['POOL', 'NAME', 'TYPE', 'SIZE', 'PGS', 'RULE'], rows).join('\n')}\n\n`);

  const mapper = new PgMapper(map);
  const load = new Load(map.maxOsd);
  const mapAll = (visit: boolean): number => {
    let pgs = 0;
    for (const { id, pgNum } of pools) {
      for (let first = 0; first < pgNum; first += RANGE) {
        const count = Math.min(RANGE, pgNum - first);
        const { acting } = mapper.mapPool(id, { first, count });
        if (visit) load.add(acting.osds, acting.primaries);
        pgs += count;
      }
    }
    return pgs;
  };
  out.add(`${measure(mapAll, (pgs) => `${number(pgs)} PGs of ${pools.length} pools`)}\n\n`);
  const isOsd = (osd: number): boolean => (map.osdWeight[osd] ?? 0) > 0 || (load.items[osd] ?? 0) > 0;
  const weightOf = (osd: number): number =>
    ((itemWeight(map.crush, osd) ?? 0) * (map.osdWeight[osd] ?? 0)) / 0x10000;
  out.add('PGs by OSD (acting sets), and how many of them it leads:\n');
  out.add(`${picture(load, isOsd, weightOf, io.stdout.columns).join('\n')}\n\n`);
  const pool = pools.find(({ pgNum }) => pgNum > 0);
  out.add(
    nextSteps([
      ...(pool === undefined ? [] : [`map ${file} --pool ${pool.name}`]),
      ...(pool === undefined ? [] : [`map ${file} --pool ${pool.name} --object my-object --format json`]),
      `info ${file}`,
      `osdmaptool ${file} --test-map-pgs`,
    ]),
  );
}

function startCrushMap(map: CrushMap, file: string, io: CommandIo, out: TextSink): void {
  const rules = map.rules.filter((rule) => rule !== undefined);
  out.add(`crush-wasm ${packageVersion()}, ${file}: CRUSH map with ${rules.length} rules\n\n`);
  const mapper = new CrushMapper(map);
  const load = new Load(map.maxDevices);
  const reweights = deviceWeights(map);
  const mapAll = (visit: boolean): number => {
    for (const { id } of rules) {
      const columns = mapper.mapRange({
        rule: id,
        size: RULE_ITEMS,
        first: 0,
        count: RULE_INPUTS,
        reweights,
        chooseArgs: chooseArgsOf(map),
      });
      if (visit) load.add(columns.items, undefined);
    }
    return rules.length * RULE_INPUTS;
  };
  const what = `${RULE_ITEMS} items by ${rules.length} rules`;
  out.add(`${measure(mapAll, (inputs) => `${number(inputs)} inputs to ${what}`)}\n\n`);
  out.add('Mappings by device:\n');
  const weightOf = (osd: number): number => itemWeight(map, osd) ?? 0;
  out.add(`${picture(load, (osd) => itemPresent(map, osd), weightOf, io.stdout.columns).join('\n')}\n\n`);
  const rule = rules[0];
  out.add(
    nextSteps([
      ...(rule === undefined ? [] : [`map ${file} --rule ${rule.id} --num-rep 3 --max-x 9`]),
      `info ${file}`,
      `crushtool -i ${file} --test --num-rep 3 --show-utilization`,
    ]),
  );
}

/** How often each OSD was chosen. */
class Load {
  readonly items: Uint32Array;
  readonly primaries: Uint32Array;

  constructor(osds: number) {
    this.items = new Uint32Array(osds);
    this.primaries = new Uint32Array(osds);
  }

  add(items: Int32Array, primaries: Int32Array | undefined): void {
    for (const osd of items) if (osd >= 0 && osd < ITEM_NONE) countUp(this.items, osd);
    for (const osd of primaries ?? []) if (osd >= 0) countUp(this.primaries, osd);
  }
}

function countUp(counts: Uint32Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

/** Maps everything, again until enough time has passed, and says how long it took. */
function measure(mapAll: (visit: boolean) => number, name: (mapped: number) => string): string {
  const start = performance.now();
  const mapped = mapAll(true);
  const first = performance.now() - start;
  let passes = 0;
  let spent = 0;
  while (mapped > 0 && spent < MEASURE_MILLISECONDS) {
    mapAll(false);
    passes++;
    spent = performance.now() - start - first;
  }
  const perSecond = mapped === 0 ? 0 : (mapped * passes * 1000) / spent;
  const times = passes > 1 ? ` (mean of ${number(passes)} more passes)` : '';
  return `${name(mapped)} mapped in ${first.toFixed(1)} ms; ${number(perSecond)} mappings a second${times}`;
}

/** A line an OSD with a bar of its share; of many OSDs, those with the most and the least for their weight. */
function picture(
  load: Load,
  isShown: (osd: number) => boolean,
  weightOf: (osd: number) => number,
  columns: number,
): string[] {
  const osds = [...load.items.keys()].filter(isShown);
  const fullness = (osd: number): number => (load.items[osd] ?? 0) / Math.max(weightOf(osd), 1);
  let parts = [osds];
  if (osds.length > SHOWN_OSDS) {
    const sorted = [...osds].sort((a, b) => fullness(b) - fullness(a));
    parts = [sorted.slice(0, SHOWN_OSDS / 2), sorted.slice(-SHOWN_OSDS / 2)];
  }
  const shown = parts.flat();
  const most = Math.max(1, ...shown.map((osd) => load.items[osd] ?? 0));
  const hasPrimaries = load.primaries.some((count) => count > 0);
  const nameWidth = Math.max(0, ...shown.map((osd) => `osd.${osd}`.length));
  const barWidth = Math.max(10, Math.min(columns, 100) - nameWidth - 24);
  const line = (osd: number): string => {
    const count = load.items[osd] ?? 0;
    const bar = '#'.repeat(Math.round((count / most) * barWidth));
    const primaries = hasPrimaries ? `, leads ${load.primaries[osd]}` : '';
    return `${`osd.${osd}`.padEnd(nameWidth)}  ${bar} ${number(count)}${primaries}`;
  };
  const [top = [], bottom] = parts.map((part) => part.map(line));
  return bottom === undefined ? top : [...top, `... ${osds.length - SHOWN_OSDS} between ...`, ...bottom];
}

function nextSteps(commands: readonly string[]): string {
  const prefix = process.env.npm_lifecycle_event === undefined ? 'crush-wasm' : 'npm run -s crush --';
  return `Next, try:\n${commands.map((command) => `  ${prefix} ${command}\n`).join('')}`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
