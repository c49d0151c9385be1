/**
 * Why a PG lies where it lies: a trace of the mapper, step by step, as plain data. It goes its own way beside the
 * kernel, in TypeScript written for reading, and comes to the same result for every input; only the hash and the
 * logarithm are the kernel's.
 */
import { FlatMap } from '../crush/flat.ts';
import { mapKind } from '../crush/kind.ts';
import { RULE_TYPE, WEIGHT_ONE, type CrushMap } from '../crush/model.ts';
import { ruleName } from '../crush/names.ts';
import { ruleTypeName } from '../crush/rule-text.ts';
import { CrushError } from '../errors.ts';
import { checkRequest, demandInteger } from '../kernel/check-request.ts';
import { POOL_TYPE, type OsdMap, type PgId, type Pool } from '../osdmap/model.ts';
import type { NameBytes, ObjectName } from '../osdmap/object-hash.ts';
import { demandOsdMap, findPool, poolRequest } from '../osdmap/pool-request.ts';
import { runMsrRule } from './explain/msr.ts';
import { runOverlay } from './explain/overlay.ts';
import { runRule } from './explain/rule.ts';
import { objectTrace, readPgId, seedTrace } from './explain/seed.ts';
import type { ObjectTrace, PgTrace, RuleTrace } from './explain/trace.ts';
import { Walk, type RecordedDraws } from './explain/walk.ts';

export type * from './explain/trace.ts';
export type { RecordedDraws } from './explain/walk.ts';

/** How much an explanation holds. */
export interface ExplainOptions {
  /** Draws that are recorded of a bucket: the winner and the runner-up, or those of all items. Default: best. */
  readonly draws?: RecordedDraws;
  /**
   * Most failed attempts that are recorded; more are counted. Default 2000: mappings of real maps need some tens,
   * MSR rules that cannot be fulfilled ten thousands.
   */
  readonly attemptLimit?: number;
  /** Most bucket items that may be drawn before the trace fails with `work-limit`. Default 2^25, some seconds. */
  readonly workLimit?: number;
}

/** Options of {@link explainPg} and {@link explainObject}. */
export interface ExplainPgOptions extends ExplainOptions {
  /** Find the pool's rule as this release of Ceph does, see {@link PgMapperOptions.release}. Default: the newest. */
  readonly release?: number;
}

/** What {@link explainRule} maps. */
export interface ExplainRequest {
  /** Rule number. A number without a rule maps to nothing, as in Ceph. */
  readonly rule: number;
  /** The input: any 32-bit number. */
  readonly x: number;
  /** Most items of the result: the pool's size (`--num-rep`). */
  readonly size: number;
  /** 16.16 reweight of each device; devices beyond its end are out. Default: all in. */
  readonly reweights?: Uint32Array | undefined;
  /** Index of a choose_args set of the map (a pool id or -1). Default, or when there is no such set: none. */
  readonly chooseArgs?: number | undefined;
}

const DEFAULT_ATTEMPTS = 2000;
const DEFAULT_WORK = 1 << 25;

/**
 * Explains how a PG comes to its OSDs: seed, rule, every draw that counts, then what the OSDMap lays over it. Follows
 * `OSDMap::pg_to_up_acting_osds`; the result is that of {@link PgMapper.mapPg}.
 *
 * @param pgid - the PG, as an object or as text such as `4.1f`. A placement seed beyond pg_num is folded, as Ceph
 * does it with an object's hash.
 * @throws {@link CrushError} `not-found` without such a pool or without PGs, `bad-argument` for what is no PG id,
 * `work-limit` for a mapping that draws more than the limit, and what {@link PgMapper} throws for such a map
 * @example
 * ```ts
 * const { crush, overlay, acting } = explainPg(map, '4.1f');
 * for (const step of crush.steps) {
 *   if (step.kind !== 'choose') continue;
 *   for (const { attempts, item } of step.choices.flatMap(({ places }) => places)) {
 *     console.log(item?.name ?? 'nothing', attempts.map(({ path, verdict }) => `${path.join(' > ')}: ${verdict.code}`));
 *   }
 * }
 * ```
 */
export function explainPg(map: OsdMap, pgid: PgId | string, options: ExplainPgOptions = {}): PgTrace {
  demandOsdMap(map);
  const { pool: id, ps } = typeof pgid === 'string' ? readPgId(pgid) : pgid;
  if (!Number.isInteger(ps) || ps < 0 || ps > 0xffffffff) {
    throw new CrushError('bad-argument', `a placement seed is a 32-bit number, not ${ps}`);
  }
  return tracePg(map, poolWithPgs(map, id), ps, undefined, options);
}

/**
 * Explains how an object comes to its OSDs: its hash and its PG, then what {@link explainPg} tells.
 *
 * @param idOrName - the pool's id or name
 * @param object - its name, or name, namespace and locator key
 * @throws as {@link explainPg}
 * @example
 * ```ts
 * const { object, pgid } = explainObject(map, 'rbd', { name: 'rbd_header.1234', namespace: 'tenant' });
 * ```
 */
export function explainObject(
  map: OsdMap,
  idOrName: number | string,
  object: NameBytes | ObjectName,
  options: ExplainPgOptions = {},
): PgTrace {
  demandOsdMap(map);
  const pool = poolWithPgs(map, idOrName);
  const isName = typeof object === 'string' || object instanceof Uint8Array;
  const traced = objectTrace(pool, isName ? { name: object } : object);
  return tracePg(map, pool, traced.ps, traced, options);
}

/**
 * Explains how a rule maps one input. Follows `crush_do_rule`; the result is that of {@link CrushMapper.mapRange}.
 *
 * @throws {@link CrushError} `bad-argument` for a request out of range, `invalid-map` or `unsupported` for a map that
 * cannot be mapped from, `invalid-rule` for a rule on which Ceph's own mapper aborts, `work-limit` for a mapping that
 * draws more than the limit
 * @example
 * ```ts
 * const { steps, result } = explainRule(crush, { rule: 0, x: 1234, size: 3 }, { draws: 'all' });
 * ```
 */
export function explainRule(
  crush: CrushMap,
  request: ExplainRequest,
  options: ExplainOptions = {},
): RuleTrace {
  demandMappable(crush);
  const { rule: id, x, size, chooseArgs } = request;
  demandInteger('x', x, -0x80000000, 0xffffffff);
  checkRequest({ rule: id, size, first: 0, count: 1, reweights: request.reweights });
  const rule = crush.rules[id];
  const args = chooseArgs === undefined ? undefined : crush.chooseArgs.get(chooseArgs);
  const head = {
    x: x | 0,
    size,
    ...(args === undefined || chooseArgs === undefined ? {} : { chooseArgs }),
  };
  if (rule === undefined) return { rule: { id }, ...head, steps: [], result: [] };
  const name = ruleName(crush, id);
  const named = { id, ...(name === undefined ? {} : { name }), type: ruleTypeName(rule) };
  if (size === 0) return { rule: named, ...head, steps: [], result: [] };
  const reweights = request.reweights ?? new Uint32Array(crush.maxDevices).fill(WEIGHT_ONE);
  const walk = new Walk(crush, x, reweights, args, {
    draws: options.draws ?? 'best',
    attempts: options.attemptLimit ?? DEFAULT_ATTEMPTS,
    work: options.workLimit ?? DEFAULT_WORK,
  });
  const isMsr = rule.type === RULE_TYPE.msrFirstn || rule.type === RULE_TYPE.msrIndep;
  try {
    return { rule: named, ...head, ...(isMsr ? runMsrRule : runRule)(walk, rule, size) };
  } catch (error) {
    throw error instanceof CrushError ? error.at({ path: `rule ${id}` }) : error;
  }
}

function tracePg(
  map: OsdMap,
  pool: Pool,
  asked: number,
  object: ObjectTrace | undefined,
  options: ExplainPgOptions,
): PgTrace {
  const request = poolRequest(map, pool, options.release ?? Number.POSITIVE_INFINITY);
  const seed = seedTrace(pool, asked, request.seed);
  const crush = explainRule(map.crush, { ...request, x: seed.x }, options);
  const { steps, ...sets } = runOverlay(map, pool, seed.ps, seed.x, crush.result);
  return {
    pgid: { pool: pool.id, ps: seed.ps },
    pool: {
      id: pool.id,
      name: pool.name,
      type: pool.type === POOL_TYPE.replicated ? 'replicated' : 'erasure',
      size: pool.size,
      crushRule: pool.crushRule,
    },
    ...(object === undefined ? {} : { object }),
    seed,
    ruleBy: request.rule === pool.crushRule ? 'number' : 'ruleset',
    crush,
    overlay: steps,
    ...sets,
  };
}

function poolWithPgs(map: OsdMap, idOrName: number | string): Pool {
  const pool = findPool(map, idOrName);
  if (pool.pgNum === 0) throw new CrushError('not-found', `pool ${pool.id} has no PGs`);
  return pool;
}

/** Maps that were found fit to be mapped from. */
const mappable = new WeakSet<CrushMap>();

/** Refuses what the kernel refuses, and for the same reasons: a trace of such a map could go round in a circle. */
function demandMappable(crush: CrushMap): void {
  const kind = mapKind(crush);
  if (kind !== 'CRUSH map') {
    const given = kind === 'OSDMap' ? 'an OSDMap: give it osdMap.crush, or take explainPg' : 'another value';
    throw new CrushError('bad-argument', `explainRule takes a CRUSH map, not ${given}`);
  }
  if (mappable.has(crush)) return;
  FlatMap.fromModel(crush);
  mappable.add(crush);
}
