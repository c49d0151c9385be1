/**
 * The osdmaptool drop-in: the original's arguments, its bytes on standard output, its exit status. Follows Ceph's
 * src/tools/osdmaptool.cc.
 */
import { CrushError } from '../../errors.ts';
import { clearTemp, markAllUpIn, markIn, markOut, markUp } from '../../osdmap/edit.ts';
import type { OsdMap } from '../../osdmap/model.ts';
import { PgMapper } from '../../osdmap/pg-mapper.ts';
import { formatPgId, formatVector } from '../iostream-format.ts';
import { CommandExit, TextSinks, type CommandIo, type TextSink } from '../io.ts';
import { naming, noteTo, readFileLikeCeph, readOsdMapFile } from '../load.ts';
import { nameProblem } from '../name-argument.ts';
import { printOsdMap } from './print.ts';
import { OSDMAPTOOL_USAGE, parseOsdmaptoolOptions, usageError, type OsdmaptoolOptions } from './options.ts';
import { testMapPgs } from './test-pgs.ts';

/** Exit status of the original where its `main` returns -1. */
const RETURNED_MINUS_ONE = 255;

/** Pool that `--test-map-object` takes when none is named. */
const ASSUMED_POOL = 1;

/** Runs `osdmaptool ARGV` and gives its exit status. */
export async function osdmaptool(argv: readonly string[], io: CommandIo): Promise<number> {
  if (argv.includes('-h') || argv.includes('--help')) throw new CommandExit(1, '', OSDMAPTOOL_USAGE);
  const sinks = new TextSinks(io);
  try {
    const options = parseOsdmaptoolOptions(argv, (text) => sinks.err.add(text));
    sinks.err.add(`osdmaptool: osdmap file '${options.file}'\n`);
    const map = await readMapOrExit(options.file, io, sinks.err);
    await naming(() => runActions(map, options, io, sinks.out), options.file);
  } finally {
    await sinks.flush();
  }
  return 0;
}

async function runActions(
  map: OsdMap,
  options: OsdmaptoolOptions,
  io: CommandIo,
  sink: TextSink,
): Promise<void> {
  map = applyEdits(map, options, sink);
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
  } else if (!options.print && options.testMapPg === '' && options.testMapObject === '') {
    throw usageError('osdmaptool: no action specified?\n');
  }
  if (options.print) printOsdMap(map, options.release, sink);
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

function applyEdits(map: OsdMap, options: OsdmaptoolOptions, sink: TextSink): OsdMap {
  const isOsd = (osd: number): boolean => osd >= 0 && osd < map.maxOsd;
  if (options.markUpIn) {
    sink.add('marking all OSDs up and in\n');
    map = markAllUpIn(map);
  }
  if (isOsd(options.markOut)) {
    sink.add(`marking OSD@${options.markOut} as out\n`);
    map = markOut(map, options.markOut);
  }
  if (isOsd(options.markUp)) {
    sink.add(`marking OSD@${options.markUp} as up\n`);
    map = markUp(map, options.markUp);
  }
  if (isOsd(options.markIn)) {
    // The original marks --mark-up's OSD here (and writes out of bounds when there is none).
    sink.add(`marking OSD@${options.markIn} as in\n`);
    map = markIn(map, options.markIn);
  }
  if (options.clearTemp) {
    sink.add('clearing pg/primary temp\n');
    map = clearTemp(map);
  }
  return map;
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
  if (parsed === undefined) throw usageError(`osdmaptool: failed to parse pg '${text}\n`);
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
