/** `crush-wasm map`: where PGs and objects live. */
import { CrushError } from '../errors.ts';
import { parsePgId } from '../formats/ceph-text.ts';
import { withPgNum } from '../osdmap/edit.ts';
import type { OsdMap, PgId, Pool } from '../osdmap/model.ts';
import { PgMapper } from '../osdmap/pg-mapper.ts';
import { findPool } from '../osdmap/pool-request.ts';
import { findPoolRule } from '../osdmap/pool-rule.ts';
import { formatPgId, primaryJson, setJson, setText } from '../osdmap/pg-text.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { fileTitle, loadMapFile } from './load.ts';
import { pgJob } from './map-jobs.ts';
import { integerOption, mapRule, type RuleOptions } from './map-rule.ts';
import { FORMATS, pgJson, pgWriter, type Format } from './map-writers.ts';
import { noOsdReason } from './no-osds.ts';
import { nameProblem } from './name-argument.ts';
import { parseThreads } from './thread-option.ts';

/** Most PGs that a pool can be made to have. */
const MAX_PG_NUM = 1 << 28;

/** Options of the command, as commander gives them. */
export interface MapOptions extends RuleOptions {
  readonly format: string;
  readonly ignoreCrc?: boolean;
  readonly pool?: readonly string[];
  readonly pg?: string;
  readonly object?: string;
  readonly namespace?: string;
  readonly key?: string;
  readonly pgNum?: string;
  readonly threads?: string;
}

/** Runs `crush-wasm map FILE [CRUSH_FILE]`. */
export async function mapCommand(
  file: string,
  crushFile: string | undefined,
  options: MapOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const format = parseFormat(options.format);
  const threads = parseThreads(options.threads);
  checkTogether(options);
  const title = fileTitle(file, crushFile);
  const note = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const loaded = await loadMapFile(file, io, { crushFile, ignoreCrc: options.ignoreCrc, onNote: note });
  try {
    if (loaded.kind === 'crushmap') {
      const misplaced = POOL_OPTIONS.find(([field]) => options[field] !== undefined)?.[1];
      await mapRule(loaded.map, title, options, misplaced, format, threads, io, out);
      return;
    }
    const misplaced = RULE_OPTIONS.find(([field]) => options[field] !== undefined);
    if (misplaced !== undefined) {
      throw misuse(
        `${misplaced[1]} is for CRUSH maps; this is an OSDMap, whose pools have rules: take --pool`,
        title,
      );
    }
    const ids = new Set(options.pool?.map((pool) => findPool(loaded.map, pool).id));
    const map = pretendPgNum(loaded.map, options.pgNum, ids);
    const pools = [...map.pools.values()].filter(({ id }) => ids.size === 0 || ids.has(id));
    const pool = ids.size === 0 ? undefined : pools[0];
    const { object, pg } = options;
    if (object !== undefined && pool !== undefined) {
      mapObject(new PgMapper(map), pool, object, options, format, out);
    } else if (pg !== undefined) {
      const mapper = new PgMapper(map);
      mapPg(mapper, findPg(mapper, pg, pool, title), format, out);
    } else {
      const reason = noOsdReason(map);
      // At once: what follows may take long.
      if (reason !== undefined) await io.stderr.write(`crush-wasm: note: ${reason}\n`);
      const inOrder = options.pool === undefined ? pools : [...ids].flatMap((id) => map.pools.get(id) ?? []);
      await mapPools(map, inOrder, format, threads, io, out, note);
    }
  } catch (error) {
    throw error instanceof CrushError ? error.at({ file: title }) : error;
  }
}

const POOL_OPTIONS = [
  ['pool', '--pool'],
  ['pg', '--pg'],
  ['object', '--object'],
  ['pgNum', '--pg-num'],
] as const;

const RULE_OPTIONS = [
  ['rule', '--rule'],
  ['numRep', '--num-rep'],
  ['minX', '--min-x'],
  ['maxX', '--max-x'],
] as const;

/** Refuses options that would have no effect beside, or without, others. */
function checkTogether({ pool, pg, object, namespace, key }: MapOptions): void {
  if (object !== undefined && pool === undefined) throw misuse('--object needs --pool, the pool it is in');
  if (object !== undefined && pg !== undefined) throw misuse('--object and --pg exclude each other');
  if (object === undefined && namespace !== undefined) throw misuse('--namespace needs --object');
  if (object === undefined && key !== undefined) throw misuse('--key needs --object');
  const problem =
    nameProblem('--object', object) ?? nameProblem('--namespace', namespace) ?? nameProblem('--key', key);
  if (problem !== undefined) throw misuse(problem);
  if (pool !== undefined && pool.length > 1 && (object ?? pg) !== undefined) {
    throw misuse(`--${object === undefined ? 'pg' : 'object'} goes with one --pool only`);
  }
}

function parseFormat(text: string): Format {
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw misuse(`--format is one of ${FORMATS.join(', ')}, not '${text}'`);
}

/** The map with another number of PGs in the pools named, or in all. */
function pretendPgNum(map: OsdMap, text: string | undefined, ids: ReadonlySet<number>): OsdMap {
  if (text === undefined) return map;
  const pgNum = integerOption('--pg-num', text, 1, MAX_PG_NUM);
  for (const id of ids.size === 0 ? map.pools.keys() : ids) map = withPgNum(map, id, pgNum, pgNum);
  return map;
}

/** A PG by its id, or by the id of one of its shards, such as `7.1s0`. */
function findPg(mapper: PgMapper, text: string, expected: Pool | undefined, title: string): PgId {
  const id = /^([0-9]+\.[0-9a-f]+)(?:s[0-9]+)?$/i.exec(text)?.[1] ?? '';
  const pgid = parsePgId(id.toLowerCase());
  if (pgid === undefined) {
    throw misuse(`'${text}' is not a PG; one looks like 4.1f: pool 4, seed 1f in hexadecimal without 0x`);
  }
  const pool = mapper.pool(pgid.pool);
  if (expected !== undefined && expected !== pool) {
    throw misuse(
      `PG ${text} is of pool ${pool.id} '${pool.name}', not of --pool ${expected.id} '${expected.name}'`,
      title,
    );
  }
  if (pgid.ps >= pool.pgNum) {
    const last = pool.pgNum === 0 ? '' : `, up to ${formatPgId(pool.id, pool.pgNum - 1)}`;
    throw new CrushError('not-found', `there is no PG ${text}: pool ${pool.id} has ${pool.pgNum}${last}`);
  }
  return pgid;
}

async function mapPools(
  map: OsdMap,
  pools: readonly Pool[],
  format: Format,
  threads: number | undefined,
  io: CommandIo,
  out: TextSink,
  note: (text: string) => void,
): Promise<void> {
  const total = pools.reduce((sum, { pgNum }) => sum + pgNum, 0);
  const job = pgJob(map, {}, { io, threads, total, printsAsItMaps: true });
  const writer = pgWriter(
    format,
    map,
    pools.map((pool) => pool.id),
  );
  if (pools.length === 0) note('the map has no pools, so there is nothing to map');
  writer.begin(out);
  try {
    for (const pool of pools) {
      if (findPoolRule(map.crush, pool, Infinity) < 0) {
        note(
          `pool ${pool.id} '${pool.name}' has no CRUSH rule (${pool.crushRule}), so its PGs map to nothing`,
        );
      }
      for await (const { columns } of job.map(pool.id, { first: 0, count: pool.pgNum }, pool.size)) {
        writer.add(columns, out);
        await out.relieve();
      }
    }
  } finally {
    await job.end();
  }
  writer.end(out);
}

function mapPg(mapper: PgMapper, { pool, ps }: PgId, format: Format, out: TextSink): void {
  const columns = mapper.mapPool(pool, { first: ps, count: 1 });
  if (format === 'json') {
    out.add(`${JSON.stringify(pgJson(columns, 0), null, 2)}\n`);
    return;
  }
  const writer = pgWriter(format, mapper.map, [pool]);
  writer.begin(out);
  writer.add(columns, out);
  writer.end(out);
}

function mapObject(
  mapper: PgMapper,
  pool: Pool,
  name: string,
  options: MapOptions,
  format: Format,
  out: TextSink,
): void {
  const { namespace = '', key = '' } = options;
  const found = mapper.mapObject(pool.id, { name, namespace, key });
  const pgid = formatPgId(found.pgid.pool, found.pgid.ps);
  if (format === 'json' || format === 'ndjson') {
    const json = {
      object: name,
      ...(namespace === '' ? {} : { namespace }),
      ...(key === '' ? {} : { key }),
      pool: pool.id,
      hash: found.hash,
      pgid,
      raw: setJson(found.raw),
      raw_primary: primaryJson(found.rawPrimary),
      up: setJson(found.up),
      up_primary: primaryJson(found.upPrimary),
      acting: setJson(found.acting),
      acting_primary: primaryJson(found.actingPrimary),
    };
    out.add(`${format === 'json' ? JSON.stringify(json, null, 2) : JSON.stringify(json)}\n`);
    return;
  }
  if (format === 'csv') {
    const sets = [
      [found.raw, found.rawPrimary],
      [found.up, found.upPrimary],
      [found.acting, found.actingPrimary],
    ] as const;
    out.add('object,pgid,raw,raw_primary,up,up_primary,acting,acting_primary\n');
    const cells = sets.map(([set, primary]) => `${setText(set, ' ')},${primary < 0 ? '' : primary}`);
    out.add(`${csvText(name)},${pgid},${cells.join(',')}\n`);
    return;
  }
  const line = (title: string, set: readonly number[], primary: number): string =>
    `${title.padEnd(8)}${setText(set, ',') || 'none'}, primary ${primary < 0 ? '-' : primary}\n`;
  const where = namespace === '' ? '' : `, namespace '${namespace}'`;
  const by = key === '' ? '' : `, placed by key '${key}'`;
  out.add(`object  '${name}' of pool ${pool.id} '${pool.name}'${where}${by}\n`);
  out.add(`hash    0x${found.hash.toString(16).padStart(8, '0')}\npg      ${pgid}\n`);
  out.add(line('raw', found.raw, found.rawPrimary));
  out.add(line('up', found.up, found.upPrimary));
  out.add(line('acting', found.acting, found.actingPrimary));
}

/** Text as a CSV cell. */
function csvText(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
