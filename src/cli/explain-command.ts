/** `crush-wasm explain`: why a PG or an object lies where it lies. */
import { explainObject, explainPg, explainRule, type PgTrace, type RuleTrace } from '../analysis/explain.ts';
import { writePg } from '../analysis/explain/pg-text.ts';
import { ExplainText } from '../analysis/explain/rule-text.ts';
import { ITEM_NONE } from '../crush/model.ts';
import { findRule, ruleList } from '../crush/names.ts';
import { CrushError } from '../errors.ts';
import type { MapFile } from '../formats/detect.ts';
import type { OsdMap } from '../osdmap/model.ts';
import { findPool } from '../osdmap/pool-request.ts';
import { chooseArgsOf, deviceWeights } from './crushtool/device-weights.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { formatPgId } from '../osdmap/pg-text.ts';
import { fileTitle, loadMapFile } from './load.ts';
import { integerOption } from './map-rule.ts';
import { nameProblem } from './name-argument.ts';
import { snakeCaseJson } from '../analysis/snake-case.ts';

/** Options of the command, as commander gives them. */
export interface ExplainCommandOptions {
  readonly format: string;
  readonly crush?: string;
  readonly ignoreCrc?: boolean;
  readonly verbose?: boolean;
  readonly pool?: string;
  readonly object?: string;
  readonly namespace?: string;
  readonly key?: string;
  readonly rule?: string;
  readonly x?: string;
  readonly numRep?: string;
}

/** Runs `crush-wasm explain FILE [PGID]`. */
export async function explainCommand(
  file: string,
  pgid: string | undefined,
  options: ExplainCommandOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  if (options.format !== 'text' && options.format !== 'json') {
    throw misuse(`--format is text or json, not '${options.format}'`);
  }
  checkTogether(pgid, options);
  const title = fileTitle(file, options.crush);
  const onNote = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const loaded = await loadMapFile(file, io, {
    crushFile: options.crush,
    ignoreCrc: options.ignoreCrc,
    onNote,
  });
  try {
    explainLoaded(loaded, title, pgid, options, out);
  } catch (error) {
    throw error instanceof CrushError ? error.at({ file: title }) : error;
  }
}

function checkTogether(pgid: string | undefined, options: ExplainCommandOptions): void {
  const { object, pool, namespace, key } = options;
  if (object !== undefined && pool === undefined) throw misuse('--object needs --pool, the pool it is in');
  if (object !== undefined && pgid !== undefined) {
    throw misuse(`a PG (${pgid}) and --object exclude each other`);
  }
  if (object === undefined && namespace !== undefined) throw misuse('--namespace needs --object');
  if (object === undefined && key !== undefined) throw misuse('--key needs --object');
  if (object === undefined && pool !== undefined)
    throw misuse('--pool goes with --object; a PG names its pool');
  const problem =
    nameProblem('--object', object) ?? nameProblem('--namespace', namespace) ?? nameProblem('--key', key);
  if (problem !== undefined) throw misuse(problem);
}

function explainLoaded(
  loaded: MapFile,
  title: string,
  pgid: string | undefined,
  options: ExplainCommandOptions,
  out: TextSink,
): void {
  const verbose = options.verbose === true;
  const text = new ExplainText(verbose);
  if (loaded.kind === 'crushmap') {
    const trace = ruleTrace(loaded, title, pgid, options);
    if (options.format === 'json') addJson(out, title, trace);
    else text.rule(trace);
  } else {
    const trace = pgTrace(loaded.map, title, pgid, options);
    if (options.format === 'json') {
      addJson(out, title, { ...trace, pgid: formatPgId(trace.pgid.pool, trace.pgid.ps) });
    } else writePg(text, trace);
  }
  if (text.lines.length > 0) out.add(`${text.lines.join('\n')}\n`);
}

function ruleTrace(
  { map }: Extract<MapFile, { kind: 'crushmap' }>,
  title: string,
  pgid: string | undefined,
  options: ExplainCommandOptions,
): RuleTrace {
  const { rule, x, numRep, object } = options;
  if (
    pgid !== undefined ||
    object !== undefined ||
    rule === undefined ||
    x === undefined ||
    numRep === undefined
  ) {
    throw misuse(
      `this is a CRUSH map without pools, so it has no PGs: give --rule R --x X --num-rep N ` +
        `(its rules: ${ruleList(map)}), or an OSDMap`,
      title,
    );
  }
  const request = {
    rule: findRule(map, rule).id,
    x: integerOption('--x', x, 0, 0xffffffff),
    size: integerOption('--num-rep', numRep, 1, 1000),
    reweights: deviceWeights(map),
    chooseArgs: chooseArgsOf(map),
  };
  return explainRule(map, request, drawsOf(options));
}

function pgTrace(
  map: OsdMap,
  title: string,
  pgid: string | undefined,
  options: ExplainCommandOptions,
): PgTrace {
  const misplaced = RULE_OPTIONS.find(([field]) => options[field] !== undefined);
  if (misplaced !== undefined) {
    throw misuse(
      `${misplaced[1]} is for CRUSH maps; this is an OSDMap: name a PG, such as ${anyPg(map)}`,
      title,
    );
  }
  const { object, pool = '', namespace, key } = options;
  if (object !== undefined) {
    const isName = [...map.pools.values()].some(({ name }) => name === pool);
    const { id } = findPool(map, !isName && /^[0-9]+$/.test(pool) ? Number(pool) : pool);
    return explainObject(map, id, { name: object, namespace, key }, drawsOf(options));
  }
  if (pgid === undefined) throw misuse(`name a PG, such as ${anyPg(map)}, or --pool P --object NAME`, title);
  try {
    return explainPg(map, pgid, drawsOf(options));
  } catch (error) {
    if (error instanceof CrushError && error.code === 'bad-argument') throw misuse(error.message);
    throw error;
  }
}

const RULE_OPTIONS = [
  ['rule', '--rule'],
  ['x', '--x'],
  ['numRep', '--num-rep'],
] as const;

/** A PG that the map has, as an example. */
function anyPg(map: OsdMap): string {
  const pool = [...map.pools.values()].find(({ pgNum }) => pgNum > 0);
  return formatPgId(pool?.id ?? 1, 0);
}

function drawsOf({ verbose }: ExplainCommandOptions): { draws: 'best' | 'all' } {
  return { draws: verbose === true ? 'all' : 'best' };
}

/** Fields that hold sets of OSDs, in which a hole is null, and primaries, of which none is null. */
const SETS = new Set(['result', 'items', 'osds', 'set', 'removed', 'raw', 'up', 'acting']);
const PRIMARIES = new Set(['rawPrimary', 'upPrimary', 'actingPrimary', 'primary']);

function addJson(out: TextSink, file: string, trace: object): void {
  out.add(`${JSON.stringify(snakeCaseJson({ file, ...(withNulls(trace) as object) }), null, 2)}\n`);
}

function withNulls(value: unknown, name = ''): unknown {
  if (typeof value === 'number' && PRIMARIES.has(name)) return value < 0 ? null : value;
  if (Array.isArray(value)) {
    return value.map((each: unknown) => (SETS.has(name) && each === ITEM_NONE ? null : withNulls(each)));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withNulls(each, key)]));
}
