/** What `osdmaptool --test-map-pgs` and its `-dump` forms print: every PG, then the counts of every OSD. */
import { ITEM_NONE } from '../../crush/model.ts';
import { itemWeight } from '../../crush/names.ts';
import { withPgNum } from '../../osdmap/edit.ts';
import { OSD_STATE, type OsdMap, type Pool } from '../../osdmap/model.ts';
import type { PgColumns, PgSets } from '../../osdmap/pg-mapper.ts';
import { formatDouble, formatRow, formatVector, formatWeight } from '../iostream-format.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { pgJob } from '../map-jobs.ts';
import type { OsdmaptoolOptions } from './options.ts';

/** PGs between looks at whether there is a large chunk to write out. */
const RELIEVE_EVERY = 1024;

/** Maps the PGs that the options select and prints the outcome; gives the map with `--pg_num` applied. */
export async function testMapPgs(
  map: OsdMap,
  options: OsdmaptoolOptions,
  io: CommandIo,
  sink: TextSink,
): Promise<OsdMap> {
  if (options.pool !== -1 && !map.pools.has(options.pool)) {
    throw new CommandExit(1, `There is no pool ${options.pool}\n`);
  }
  const isSelected = (id: number): boolean => options.pool === -1 || id === options.pool;
  if (options.pgNum > 0n) {
    // Of a longer number Ceph's pools keep 32 bits.
    const pgNum = Number(BigInt.asUintN(32, options.pgNum));
    for (const id of map.pools.keys()) {
      if (isSelected(id)) map = withPgNum(map, id, pgNum);
    }
  }

  const pools = [...map.pools.values()].filter(({ id }) => isSelected(id));
  const total = pools.reduce((sum, { pgNum }) => sum + pgNum, 0);
  const counts = new Counts(map.maxOsd);
  if (options.testRandom) {
    await countRandom(map, pools, counts, options, sink);
    printCounts(map, counts, sink);
    return map;
  }
  const { release, threads } = options;
  const printsAsItMaps = options.testMapPgsDump || options.testMapPgsDumpAll;
  const job = pgJob(map, { release }, { io, threads, total, printsAsItMaps });
  try {
    for (const { id, pgNum, size } of pools) {
      sink.add(`pool ${id} pg_num ${pgNum}\n`);
      for await (const { columns } of job.map(id, { first: 0, count: pgNum }, size)) {
        counts.add(columns);
        if (options.testMapPgsDump) dumpActing(columns, sink);
        else if (options.testMapPgsDumpAll) dumpAll(columns, sink);
        await sink.relieve();
      }
    }
  } finally {
    await job.end();
  }
  printCounts(map, counts, sink);
  return map;
}

/** OSDs by chance, as many as each pool wants, in the place of mappings: how even could it be? */
async function countRandom(
  { maxOsd }: OsdMap,
  pools: readonly Pool[],
  counts: Counts,
  options: OsdmaptoolOptions,
  sink: TextSink,
): Promise<void> {
  const isAsked = pools.some(({ pgNum, size }) => pgNum > 0 && size > 0);
  if (maxOsd === 0 && isAsked) {
    throw new CommandExit(1, 'osdmaptool: --test-random needs OSDs, and there are none\n');
  }
  for (const { id, pgNum, size } of pools) {
    sink.add(`pool ${id} pg_num ${pgNum}\n`);
    for (let ps = 0; ps < pgNum; ps++) {
      const osds = Int32Array.from({ length: size }, () => Math.floor(Math.random() * maxOsd));
      const primary = osds[0] ?? -1;
      const set: PgSets = { osds, lengths: Int32Array.of(size), primaries: Int32Array.of(primary) };
      counts.add({ pool: id, first: ps, count: 1, width: size, raw: set, up: set, acting: set });
      const pgid = formatPgId(id, ps);
      if (options.testMapPgsDump) sink.add(`${pgid}\t${formatVector(osds)}\t${primary}\n`);
      else if (options.testMapPgsDumpAll) sink.add(`${pgid} raw ([], p-1) up ([], p-1) acting ([], p-1)\n`);
      if (ps % RELIEVE_EVERY === 0) await sink.relieve();
    }
  }
}

function dumpActing(columns: PgColumns, sink: TextSink): void {
  for (let i = 0; i < columns.count; i++) {
    const pgid = formatPgId(columns.pool, columns.first + i);
    sink.add(`${pgid}\t${formatSet(columns.acting, i, columns.width)}\t${columns.acting.primaries[i]}\n`);
  }
}

function dumpAll({ pool, first, count, width, raw, up, acting }: PgColumns, sink: TextSink): void {
  for (let i = 0; i < count; i++) {
    sink.add(
      `${formatPgId(pool, first + i)} raw (${formatSet(raw, i, width)}, p${raw.primaries[i]})` +
        ` up (${formatSet(up, i, width)}, p${up.primaries[i]})` +
        ` acting (${formatSet(acting, i, width)}, p${acting.primaries[i]})\n`,
    );
  }
}

function formatSet(sets: PgSets, row: number, width: number): string {
  return formatRow(sets.osds, row, width, sets.lengths[row] ?? 0);
}

/** How often each OSD is in an acting set, is first in one, is a primary; and how long the sets are. */
class Counts {
  readonly any: Int32Array;
  readonly first: Int32Array;
  readonly primary: Int32Array;
  readonly sizes: number[] = [];

  constructor(maxOsd: number) {
    this.any = new Int32Array(maxOsd);
    this.first = new Int32Array(maxOsd);
    this.primary = new Int32Array(maxOsd);
  }

  add({ acting, width, count }: PgColumns): void {
    const { any, first, primary, sizes } = this;
    const { osds, lengths, primaries } = acting;
    for (let i = 0; i < count; i++) {
      const length = lengths[i] ?? 0;
      sizes[length] = (sizes[length] ?? 0) + 1;
      const from = i * width;
      for (let at = from; at < from + length; at++) {
        const osd = osds[at] ?? ITEM_NONE;
        if (osd === ITEM_NONE) continue;
        countUp(any, osd);
        if (at === from) countUp(first, osd);
      }
      const leader = primaries[i] ?? -1;
      if (leader >= 0) countUp(primary, leader);
    }
  }
}

function countUp(counts: Int32Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

function printCounts(map: OsdMap, counts: Counts, sink: TextSink): void {
  sink.add('#osd\tcount\tfirst\tprimary\tc wt\twt\n');
  // Thousands of OSDs have a few different weights, and rounding as C++ does it takes its time.
  const weightTexts = new Map<number, string>();
  const weightText = (weight: number): string => {
    const text = weightTexts.get(weight) ?? formatWeight(weight);
    weightTexts.set(weight, text);
    return text;
  };
  const inOsds: number[] = [];
  const countOf = (osd: number): number => counts.any[osd] ?? 0;
  let total = 0;
  let least = -1;
  let most = -1;
  for (let osd = 0; osd < map.maxOsd; osd++) {
    const weight = (itemWeight(map.crush, osd) ?? 0) | 0;
    if (!isIn(map, osd) || weight <= 0) continue;
    inOsds.push(osd);
    const count = countOf(osd);
    sink.add(
      `osd.${osd}\t${count}\t${counts.first[osd]}\t${counts.primary[osd]}` +
        `\t${weightText(weight)}\t${weightText(map.osdWeight[osd] ?? 0)}\n`,
    );
    total += count;
    if (count > 0 && (least < 0 || count < countOf(least))) least = osd;
    if (count > 0 && (most < 0 || count > countOf(most))) most = osd;
  }

  // The average is an unsigned integer in Ceph. Squares of differences come out the same with and without the
  // wrap-around that a difference below zero has there.
  const average = inOsds.length === 0 ? 0 : Math.floor(total / inOsds.length);
  let deviation = 0;
  for (const osd of inOsds) deviation += (average - countOf(osd)) ** 2;
  deviation = Math.sqrt(deviation / inOsds.length);
  const expected = Math.sqrt((total / inOsds.length) * (1 - 1 / inOsds.length));
  sink.add(` in ${inOsds.length}\n`);
  sink.add(
    ` avg ${average} stddev ${formatDouble(deviation)} (${formatDouble(deviation / average)}x)` +
      ` (expected ${formatDouble(expected)} ${formatDouble(expected / average)}x))\n`,
  );
  if (least >= 0) sink.add(` min osd.${least} ${countOf(least)}\n`);
  if (most >= 0) sink.add(` max osd.${most} ${countOf(most)}\n`);
  counts.sizes.forEach((count, size) => sink.add(`size ${size}\t${count}\n`));
}

/** Whether an OSD exists and its reweight is not 0 (`OSDMap::is_in`). */
function isIn(map: OsdMap, osd: number): boolean {
  return ((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0 && map.osdWeight[osd] !== 0;
}
