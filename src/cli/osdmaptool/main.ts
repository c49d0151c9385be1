/**
 * The osdmaptool drop-in: the original's arguments, its bytes on standard output, its exit status. Follows Ceph's
 * src/tools/osdmaptool.cc.
 */
import { stat } from 'node:fs/promises';
import { CrushError } from '../../errors.ts';
import { writeCrushBinary } from '../../formats/crushmap-encode.ts';
import { writeOsdMapBinary } from '../../formats/osdmap-encode.ts';
import { emptyOsdMap } from '../../osdmap/create.ts';
import type { OsdMap } from '../../osdmap/model.ts';
import { PgMapper } from '../../osdmap/pg-mapper.ts';
import { formatVector } from '../iostream-format.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import { CommandExit, TextSinks, type CommandIo, type TextSink } from '../io.ts';
import { describeSystemError, naming, noteTo, readFileLikeCeph, readOsdMapFile } from '../load.ts';
import { nameProblem } from '../name-argument.ts';
import { readFileBytes } from '../read-bytes.ts';
import { NEWEST_RELEASE } from '../release-option.ts';
import { writeFileLikeCeph } from '../write-file.ts';
import { createMap } from './create.ts';
import { dumpOsdMap } from './dump.ts';
import { editMap, type EditedMap } from './edits.ts';
import { healthJson } from './health.ts';
import { printOsdMap } from './print.ts';
import { parseOsdmaptoolOptions, usageError, type OsdmaptoolOptions } from './options.ts';
import { readCephConf, type CephConf } from './settings.ts';
import { testMapPgs } from './test-pgs.ts';
import { treeText } from './tree.ts';

/** Exit status of the original where its `main` returns -1. */
const RETURNED_MINUS_ONE = 255;

/** Pool that `--test-map-object` takes when none is named. */
const ASSUMED_POOL = 1;

/** Runs `osdmaptool ARGV` and gives its exit status. */
export async function osdmaptool(argv: readonly string[], io: CommandIo): Promise<number> {
  const sinks = new TextSinks(io);
  try {
    const options = parseOsdmaptoolOptions(argv, (text) => sinks.err.add(text));
    if (options.rangeFirst >= 0 && options.rangeLast >= 0) await runOverRange(options, io, sinks);
    else {
      sinks.err.add(`osdmaptool: osdmap file '${options.file}'\n`);
      const map = await mapToStart(options, io, sinks.err);
      await naming(() => runActions(map, options, io, sinks.out), options.file);
    }
  } finally {
    await sinks.flush();
  }
  return 0;
}

/** Maps of a range of epochs, in files whose names are numbers; what is asked of a map is done to each. */
async function runOverRange(options: OsdmaptoolOptions, io: CommandIo, sinks: TextSinks): Promise<void> {
  for (let epoch = options.rangeFirst; epoch <= options.rangeLast; epoch++) {
    const file = `${options.file}/${epoch}`;
    let bytes: Uint8Array;
    try {
      bytes = await readFileBytes(file);
    } catch (error) {
      if (error instanceof CrushError) throw error.at({ file });
      throw new CommandExit(1, `unable to read ${file}: ${describeSystemError(error)}\n`);
    }
    sinks.out.add(`${file} got ${bytes.length} bytes\n`);
    const map = await readOsdMapFile(bytes, file, noteTo(sinks.err, file));
    // The original ends here, whatever else is asked of it.
    if (!hasAction(options)) continue;
    await naming(() => runActions({ map, modified: false }, { ...options, file }, io, sinks.out), file);
    await sinks.out.relieve();
  }
}

/** The map of the file, or a new one. */
async function mapToStart(options: OsdmaptoolOptions, io: CommandIo, err: TextSink): Promise<EditedMap> {
  const { file, createSimple, createFromConf, clobber } = options;
  if (!createSimple && !createFromConf) {
    return { map: clobber ? emptyOsdMap() : await readMapOrExit(file, io, err), modified: false };
  }
  if (!clobber && (await exists(file))) {
    throw new CommandExit(RETURNED_MINUS_ONE, `osdmaptool: ${file} exists, --clobber to overwrite\n`);
  }
  const now = Date.now();
  const conf = await readConf(options.confFile);
  const time = { sec: Math.floor(now / 1000), nsec: (now % 1000) * 1_000_000 };
  return { map: createMap(options, conf, time), modified: true };
}

async function runActions(
  start: EditedMap,
  options: OsdmaptoolOptions,
  io: CommandIo,
  sink: TextSink,
): Promise<void> {
  const { release } = options;
  const edited = await editMap(start, options, io, sink);
  let { map } = edited;
  if (options.exportCrush !== '') await exportCrush(map, options, sink);
  if (options.testMapObject !== '') {
    // The pool that is assumed here is the only one in what follows, too.
    if (options.pool === -1) {
      sink.add(`osdmaptool: assuming pool ${ASSUMED_POOL} (use --pool to override)\n`);
      options = { ...options, pool: ASSUMED_POOL };
    }
    testMapObject(map, options, sink);
  }
  if (options.testMapPg !== '') testMapPg(map, options, sink);
  if (options.testMapPgs || options.testMapPgsDump || options.testMapPgsDumpAll) {
    map = await testMapPgs(map, options, io, sink);
  }
  if (!hasAction(options) && !edited.modified) {
    throw usageError('osdmaptool: no action specified?\n', release);
  }
  if (edited.modified) map = { ...map, epoch: map.epoch + 1 };
  if (options.health) sink.add(healthJson(map, release));
  if (options.print) {
    if (options.dumpFormat === '') printOsdMap(map, release, sink);
    else sink.add(dumpOsdMap(map, options.dumpFormat, release));
  }
  if (options.tree) sink.add(treeText(map, options.treeFormat));
  if (edited.modified) await writeMap(map, options, sink);
}

/** Whether anything is asked for but changes that nobody would see. */
function hasAction(options: OsdmaptoolOptions): boolean {
  const texts = [
    options.exportCrush,
    options.importCrush,
    options.testMapPg,
    options.testMapObject,
    options.adjustCrushWeight,
  ];
  return (
    options.print ||
    options.health ||
    options.tree ||
    options.upmapCleanup ||
    options.testMapPgs ||
    options.testMapPgsDump ||
    options.testMapPgsDumpAll ||
    texts.some((text) => text !== '')
  );
}

async function exportCrush(map: OsdMap, { exportCrush: file, release }: OsdmaptoolOptions, sink: TextSink) {
  const bytes = writeCrushBinary(map.crush, { release });
  await writeFileLikeCeph('osdmaptool', file, bytes, () => `error writing crush map to ${file}`);
  sink.add(`osdmaptool: exported crush map to ${file}\n`);
}

async function writeMap(map: OsdMap, { file, release }: OsdmaptoolOptions, sink: TextSink): Promise<void> {
  sink.add(`osdmaptool: writing epoch ${map.epoch} to ${file}\n`);
  // By default in the oldest form that holds the map, which older tools read as well.
  const bytes = writeOsdMapBinary(map, release === NEWEST_RELEASE ? {} : { release });
  await writeFileLikeCeph('osdmaptool', file, bytes, (what) => `error writing to '${file}': ${what}`);
}

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch {
    return false;
  }
}

/** Ceph's configuration, empty where no file of it is named. */
async function readConf(file: string): Promise<CephConf> {
  if (file === '') return new Map();
  try {
    return readCephConf(new TextDecoder().decode(await readFileBytes(file)));
  } catch (error) {
    throw new CommandExit(1, `osdmaptool: can't open ${file}: ${describeSystemError(error)}\n`);
  }
}

/** Reads the map, failing with the original's words where the original would fail too. */
async function readMapOrExit(file: string, io: CommandIo, err: TextSink): Promise<OsdMap> {
  let bytes: Uint8Array;
  try {
    bytes = await readFileLikeCeph(file, io);
  } catch (error) {
    if (!(error instanceof CrushError) || error.code !== 'io') throw error;
    throw new CommandExit(RETURNED_MINUS_ONE, `osdmaptool: couldn't open ${file}: ${error.message}\n`);
  }
  try {
    return await readOsdMapFile(bytes, file, noteTo(err, file));
  } catch (error) {
    if (!(error instanceof CrushError) || error.code === 'unsupported') throw error;
    throw new CommandExit(RETURNED_MINUS_ONE, `osdmaptool: error decoding osdmap '${file}'\n`);
  }
}

function testMapObject(map: OsdMap, options: OsdmaptoolOptions, sink: TextSink): void {
  const problem = nameProblem('--test-map-object', options.testMapObject);
  if (problem !== undefined) throw new CommandExit(1, `osdmaptool: ${problem}\n`);
  const { pool } = options;
  if (!map.pools.has(pool)) throw new CommandExit(1, `There is no pool ${pool}\n`);
  const { pgid, acting } = new PgMapper(map, { release: options.release }).mapObject(
    pool,
    options.testMapObject,
  );
  sink.add(
    ` object '${options.testMapObject}' -> ${formatPgId(pgid.pool, pgid.ps)} -> ${formatVector(acting)}\n`,
  );
}

function testMapPg(map: OsdMap, options: OsdmaptoolOptions, sink: TextSink): void {
  const text = options.testMapPg;
  const parsed = parsePgId(text);
  if (parsed === undefined) throw usageError(`osdmaptool: failed to parse pg '${text}\n`, options.release);
  const pgid = `${parsed.pool}.${parsed.ps.toString(16)}`;
  sink.add(` parsed '${text}' -> ${pgid}\n`);
  const pool = Number(parsed.pool);
  if (!map.pools.has(pool)) {
    sink.add(`${pgid} raw ([], p-1) up ([], p-1) acting ([], p-1)\n`);
    return;
  }
  const pg = new PgMapper(map, { release: options.release }).mapPg(pool, parsed.ps);
  sink.add(
    `${pgid} raw (${formatVector(pg.raw)}, p${pg.rawPrimary})` +
      ` up (${formatVector(pg.up)}, p${pg.upPrimary})` +
      ` acting (${formatVector(pg.acting)}, p${pg.actingPrimary})\n`,
  );
}

/** A PG id as `sscanf("%llu.%x")` takes it, which `pg_t::parse` does: what follows is ignored. */
function parsePgId(text: string): { pool: bigint; ps: number } | undefined {
  const match = /^\s*([+-]?)([0-9]+)\.\s*([+-]?)(?:0[xX](?=[0-9a-fA-F]))?([0-9a-fA-F]+)/.exec(text);
  if (match === null) return undefined;
  const [, poolSign, poolDigits = '', psSign, psDigits = ''] = match;
  return {
    pool: BigInt.asUintN(64, signed(poolSign, BigInt(poolDigits))),
    ps: Number(BigInt.asUintN(32, signed(psSign, BigInt(`0x${psDigits}`)))),
  };
}

/** As C's `strtoull`: clamped to 64 bits, then negated. */
function signed(sign: string | undefined, value: bigint): bigint {
  const most = 0xffffffffffffffffn;
  if (value > most) return most;
  return sign === '-' ? -value : value;
}
