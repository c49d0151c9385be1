/** Makes a workload of what people write. */
import { CrushError } from '../../errors.ts';
import { HIT_KINDS, scaleLoad, type LoadVector } from '../load.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { seededRandom } from './random.ts';
import { TreeBuilder } from './tree-builder.ts';
import type { LoadDescription, WorkloadDescription } from './workload-description.ts';
import {
  USUAL_CPU_TICKS,
  USUAL_MIGRATION_TIMES,
  type Workload,
  type WorkloadLoad,
  type WorkloadSubtree,
} from './workload.ts';

/** Most pieces of time that loads are cut into by moves. */
const MAX_MOVES = 1_000_000;

/** How to build it. */
export interface BuildSettings {
  /** Of what is drawn by chance. */
  readonly seed: number;
  /** Seconds that will be simulated: how far loads that move are drawn. */
  readonly seconds: number;
}

/**
 * Makes a workload of a description.
 *
 * @throws CrushError `bad-argument` with the place in the description, such as `workload.loads[2].in`
 */
export function buildWorkload(description: WorkloadDescription, settings: BuildSettings): Workload {
  const { directories, loads, pins = [], subtrees = [] } = description;
  const tree = new TreeBuilder();
  directories.forEach(({ path, files = 0 }, index) =>
    placing(`workload.directories[${index}].path`, () => tree.add(path, files)),
  );
  const random = seededRandom(settings.seed);
  let moves = 0;
  const built = loads.flatMap((load, index) => {
    const pieces = buildLoad(load, `workload.loads[${index}]`, tree, settings.seconds, random);
    moves += pieces.length;
    if (moves > MAX_MOVES) {
      throw new CrushError('bad-argument', `loads move more than ${MAX_MOVES} times`, {
        path: `workload.loads[${index}].moves_every`,
      });
    }
    return pieces;
  });
  return {
    name: description.name ?? 'workload',
    tree: tree.tree(),
    loads: built,
    pins: pins.flatMap((pin, index) =>
      matching(tree, pin.path, `workload.pins[${index}].path`).map((path) => ({ ...pin, path })),
    ),
    subtrees: subtrees.flatMap(({ path, rank }, index): WorkloadSubtree[] =>
      matching(tree, path, `workload.subtrees[${index}].path`).map((found) => ({
        path: found,
        fragment: 0,
        rank,
      })),
    ),
    background: [],
    isSettled: description.isSettled ?? false,
    migration: { ...USUAL_MIGRATION_TIMES, ...description.migration },
    cpuTicksPerRequest: description.cpuTicksPerRequest ?? USUAL_CPU_TICKS,
    rankMask: description.rankMask ?? '',
    notes: [],
  };
}

/** Adds its place in the description to an error. */
function placing<T>(path: string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw error instanceof CrushError ? error.at({ path }) : error;
  }
}

/** Paths of the directories that a pattern fits; there is one at least. */
function matching(tree: TreeBuilder, pattern: string, place: string): string[] {
  const found = placing(place, () => tree.match(pattern));
  if (found.length === 0) {
    throw new CrushError('bad-argument', `no directory is like '${pattern}'`, { path: place });
  }
  return found.map((number) => tree.path(number));
}

function buildLoad(
  load: LoadDescription,
  place: string,
  tree: TreeBuilder,
  seconds: number,
  random: () => number,
): WorkloadLoad[] {
  const directories = placing(`${place}.in`, () => tree.match(load.in));
  if (directories.length === 0) {
    throw new CrushError('bad-argument', `no directory is like '${load.in}'`, { path: `${place}.in` });
  }
  const { from = 0, to = Infinity, spots, movesEvery } = load;
  if (to <= from)
    throw new CrushError('bad-argument', `it ends before it begins, at ${to}`, { path: `${place}.to` });
  if ((load.rate === undefined) === (load.totalRate === undefined)) {
    throw new CrushError('bad-argument', 'it takes either rate or total_rate', { path: place });
  }
  if ((load.op === undefined) === (load.hits === undefined)) {
    throw new CrushError('bad-argument', 'it takes either op or hits', { path: place });
  }
  const atOnce = Math.min(spots ?? directories.length, directories.length);
  const rate = load.rate ?? (load.totalRate ?? 0) / atOnce;
  const piece = (some: readonly number[], begin: number, end: number): WorkloadLoad[] =>
    flows(some, load, rate, tree, begin, end);
  if (atOnce === directories.length) return piece(directories, from, to);
  const span = movesEvery ?? Infinity;
  const last = Math.min(to, seconds);
  if ((last - from) / span > MAX_MOVES) {
    throw new CrushError('bad-argument', `it moves more than ${MAX_MOVES} times`, {
      path: `${place}.moves_every`,
    });
  }
  const pieces: WorkloadLoad[] = [];
  for (let begin = from; begin < last; begin += span) {
    const end = Math.min(to, begin + span);
    pieces.push(...piece(draw(directories, atOnce, random), begin, end));
  }
  return pieces;
}

/** Some of the directories, each as likely as another. */
function draw(directories: readonly number[], count: number, random: () => number): number[] {
  const drawn = new Set<number>();
  while (drawn.size < count) {
    // As Floyd draws: one of the first so many, or, if that is taken, the last of them.
    const limit = directories.length - count + drawn.size;
    const at = Math.floor(random() * (limit + 1));
    const [chosen, last] = [directories[at] ?? 0, directories[limit] ?? 0];
    drawn.add(drawn.has(chosen) ? last : chosen);
  }
  return [...drawn];
}

/** One flow for all directories, or, where entries count, one for all of the same size. */
function flows(
  directories: readonly number[],
  { op, hits }: LoadDescription,
  rate: number,
  tree: TreeBuilder,
  from: number,
  to: number,
): WorkloadLoad[] {
  const given = HIT_KINDS.map((kind) => hits?.[kind] ?? 0) as unknown as LoadVector;
  const operation: Operation =
    op === undefined ? { hits: given, growth: 0, isPerEntry: false, isRequest: true } : OPERATIONS[op];
  const flow = (some: readonly number[], times: number): WorkloadLoad => ({
    directories: Int32Array.from(some),
    from,
    to,
    requests: operation.isRequest ? rate : 0,
    hits: scaleLoad(operation.hits, rate * times),
    growth: operation.growth * rate,
  });
  if (!operation.isPerEntry) return [flow(directories, 1)];
  const bySize = new Map<number, number[]>();
  for (const directory of directories) {
    const entries = Math.max(1, tree.entries(directory));
    const others = bySize.get(entries);
    if (others === undefined) bySize.set(entries, [directory]);
    else others.push(directory);
  }
  return [...bySize].map(([entries, some]) => flow(some, entries));
}
