/** What `crush-wasm test` maps: which rules, to how many OSDs, with which inputs. */
import {
  DistributionCounter,
  type Distribution,
  type DistributionRequest,
} from '../analysis/distribution.ts';
import { DEFAULT_CHOOSE_ARGS, RULE_TYPE, type CrushMap, type CrushRule } from '../crush/model.ts';
import { findRule } from '../crush/names.ts';
import { Capacity } from '../crush/validate/capacity.ts';
import { MapIndex } from '../crush/validate/index-of-map.ts';
import { ruleBlocks } from '../crush/validate/rule-blocks.ts';
import type { MapFile } from '../formats/detect.ts';
import type { OsdMap, Pool } from '../osdmap/model.ts';
import { findPool } from '../osdmap/pool-request.ts';
import { findPoolRule } from '../osdmap/pool-rule.ts';
import { misuse, type CommandIo } from './io.ts';
import { crushJob } from './map-jobs.ts';
import { integerOption } from './map-rule.ts';

/** Sizes that rules are tested with where no pool and no option says. */
const USUAL_SIZE = { replicated: 3, erasure: 6 } as const;
const MAX_SIZE = 1000;
/** Inputs by default: about so many OSDs placed for each that there is, within limits. */
const PLACED_EACH = 1000;
const LEAST_INPUTS = 10_000;
const MOST_INPUTS = 200_000;

/** Options that say what is mapped, as commander gives them. */
export interface TestRunOptions {
  readonly rule?: readonly string[];
  readonly pool?: readonly string[];
  readonly size?: string;
  readonly minX?: string;
  readonly maxX?: string;
  readonly samples?: string;
}

/** One rule to be tested with one size. */
export interface TestRun {
  readonly rule: CrushRule;
  /** Pools that it stands for; none for CRUSH maps. */
  readonly pools: readonly Pool[];
  readonly request: DistributionRequest;
}

/** The runs that a file and the options ask for. */
export function testRuns(file: MapFile, options: TestRunOptions, title: string): TestRun[] {
  const map = file.kind === 'osdmap' ? file.map.crush : file.map;
  if (file.kind === 'crushmap' && options.pool !== undefined) {
    throw misuse('this is a CRUSH map, which has no pools: take --rule', title);
  }
  const size = options.size === undefined ? undefined : integerOption('--size', options.size, 1, MAX_SIZE);
  const inputs = inputsOf(options);
  const rules = options.rule?.map((name) => findRule(map, name));
  const drafts = file.kind === 'osdmap' ? poolDrafts(file.map, options, rules) : ruleDrafts(map, rules);
  const index = new MapIndex(map, file.kind === 'osdmap' ? file.map.osdWeight : undefined);
  const capacity = new Capacity(index);
  const reweights = file.kind === 'osdmap' ? { reweights: file.map.osdWeight } : {};
  return drafts.map(({ rule, pools, size: poolSize, chooseArgs }) => {
    const wanted = size ?? poolSize ?? usualSize(map, rule, capacity);
    const devices = new Set(ruleBlocks(rule, map.tunables).map(({ take }) => take));
    const osds = [...devices].reduce((sum, take) => sum + index.liveDevices(take), 0);
    const { first, count = usualInputs(osds, wanted) } = inputs;
    return { rule, pools, request: { rule: rule.id, size: wanted, first, count, chooseArgs, ...reweights } };
  });
}

/** Maps a run and measures it. */
export async function measureRun(
  map: CrushMap,
  { request }: TestRun,
  threads: number | undefined,
  io: CommandIo,
): Promise<Distribution> {
  const { first, count, size } = request;
  const counter = new DistributionCounter(map, request);
  const { reweights, tries } = counter;
  const job = crushJob(map, { io, threads, total: count, printsAsItMaps: false });
  const what = { rule: request.rule, size, chooseArgs: request.chooseArgs, reweights, tries };
  try {
    for await (const { range, columns } of job.map(what, { first, count }, size)) {
      counter.add(columns, range.count);
    }
  } finally {
    await job.end();
  }
  return counter.finish();
}

/** A run before its size and inputs are known. */
interface RunDraft {
  readonly rule: CrushRule;
  readonly pools: readonly Pool[];
  readonly size: number | undefined;
  readonly chooseArgs: number | undefined;
}

function ruleDrafts(map: CrushMap, rules: readonly CrushRule[] | undefined): RunDraft[] {
  const chooseArgs = [0, DEFAULT_CHOOSE_ARGS].find((set) => map.chooseArgs.has(set));
  const chosen = rules ?? map.rules.filter((rule) => rule !== undefined);
  return chosen.map((rule) => ({ rule, pools: [], size: undefined, chooseArgs }));
}

/** One run for all pools that have rule, size and choose_args in common; rules without pools where they are named. */
function poolDrafts(
  map: OsdMap,
  options: TestRunOptions,
  rules: readonly CrushRule[] | undefined,
): RunDraft[] {
  const { crush } = map;
  const named = options.pool?.map((text) => {
    const isName = [...map.pools.values()].some(({ name }) => name === text);
    return findPool(map, !isName && /^[0-9]+$/.test(text) ? Number(text) : text);
  });
  const drafts = new Map<string, RunDraft & { pools: Pool[] }>();
  for (const pool of named ?? map.pools.values()) {
    const rule = crush.rules[findPoolRule(crush, pool, Infinity)];
    if (rule === undefined || rules?.includes(rule) === false) continue;
    const chooseArgs = [pool.id, DEFAULT_CHOOSE_ARGS].find((set) => crush.chooseArgs.has(set));
    const key = `${rule.id} ${pool.size} ${chooseArgs}`;
    const known = drafts.get(key);
    if (known !== undefined) known.pools.push(pool);
    else drafts.set(key, { rule, pools: [pool], size: pool.size, chooseArgs });
  }
  const found = [...drafts.values()];
  const unused = (rules ?? []).filter((rule) => !found.some((draft) => draft.rule === rule));
  return [...found, ...ruleDrafts(crush, unused)];
}

function inputsOf({ minX, maxX, samples }: TestRunOptions): { first: number; count?: number } {
  const most = 0x7fff_ffff;
  const first = integerOption('--min-x', minX ?? '0', 0, most);
  if (samples !== undefined && maxX !== undefined) throw misuse('--samples and --max-x exclude each other');
  if (samples !== undefined)
    return { first, count: integerOption('--samples', samples, 1, most - first + 1) };
  if (maxX === undefined) return { first };
  return { first, count: integerOption('--max-x', maxX, first, most) - first + 1 };
}

function usualInputs(osds: number, size: number): number {
  const wanted = Math.ceil((osds * PLACED_EACH) / size / LEAST_INPUTS) * LEAST_INPUTS;
  return Math.min(MOST_INPUTS, Math.max(LEAST_INPUTS, wanted));
}

/** As many OSDs as all steps name, else a usual size that the rule's mask allows and the map can give. */
function usualSize(map: CrushMap, rule: CrushRule, capacity: Capacity): number {
  const blocks = ruleBlocks(rule, map.tunables).filter(({ choices }) => choices.length > 0);
  const fixed = blocks.map(({ choices }) =>
    choices.reduce((product, { count }) => product * Math.max(0, count), 1),
  );
  const named = fixed.reduce((sum, count) => sum + count, 0);
  if (named > 0 && named <= MAX_SIZE && fixed.every((count) => count > 0)) return named;
  const isErasure = rule.type === RULE_TYPE.erasure || rule.type === RULE_TYPE.msrIndep;
  const usual = isErasure ? USUAL_SIZE.erasure : USUAL_SIZE.replicated;
  const allowed = Math.max(rule.minSize, Math.min(usual, Math.max(1, rule.maxSize)));
  const given = blocks.reduce((sum, block) => sum + capacity.yieldOf(block, allowed).best, 0);
  return Math.min(MAX_SIZE, Math.max(1, Math.min(allowed, given)));
}
