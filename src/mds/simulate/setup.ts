/** Puts a workload into a simulation: who holds what at the start, and what begins and ends when. */
import { CrushError } from '../../errors.ts';
import type { EventQueue } from './event-queue.ts';
import type { Fragmenter } from './fragmenter.ts';
import type { MetadataState } from './metadata-state.ts';
import { NO_NODE, type Workload, type WorkloadPin } from './workload.ts';

/** Finds directories by their paths, name by name. */
export function directoryFinder({ tree }: MetadataState): (path: string) => number | undefined {
  const within = new Map<number, Map<string, number>>();
  const namesIn = (directory: number): Map<string, number> => {
    let names = within.get(directory);
    if (names === undefined) {
      names = new Map();
      for (const fragment of tree.fragmentsOf(directory)) {
        for (const child of tree.directoriesIn(fragment)) names.set(tree.names[child] ?? '', child);
      }
      within.set(directory, names);
    }
    return names;
  };
  return (path) => {
    let at: number | undefined = 0;
    for (const name of path.split('/').filter((part) => part !== '')) {
      at = at === undefined ? undefined : namesIn(at).get(name);
    }
    return at;
  };
}

/** Gives subtrees to the ranks that hold them at the start. */
export function placeSubtrees(
  state: MetadataState,
  { subtrees }: Workload,
  directoryAt: (path: string) => number | undefined,
  notes: string[],
): void {
  const gone = new Set(subtrees.map(({ rank }) => rank).filter((rank) => rank >= state.ranks));
  for (const rank of gone)
    notes.push(`mds.${rank} is not there: what it held is mds.0's, as when max_mds is lowered`);
  const cuts = subtrees.map(({ path, fragment: code, rank }) => {
    const directory = directoryAt(path);
    const fragment = directory === undefined ? NO_NODE : state.tree.find(directory, code);
    if (fragment === NO_NODE)
      throw new CrushError('not-found', `there is no directory ${path || '/'} for a subtree`);
    const isOrphan = rank >= state.ranks;
    return { subtree: state.subtrees.cut(fragment), rank: isOrphan ? 0 : rank, isOrphan };
  });
  // All ranks first, so that no subtree is joined with one that has not got its rank yet.
  for (const { subtree } of cuts) subtree.isKeptApart = true;
  for (const { subtree, rank } of cuts) state.subtrees.move(subtree, rank);
  for (const { subtree } of cuts) subtree.isKeptApart = false;
  for (const { subtree, isOrphan } of cuts) if (isOrphan) state.subtrees.join(subtree);
}

/** Most pins of one kind that are told of. */
const MOST_NOTES = 5;

/** Tells of pins that do nothing, or nothing yet. */
export function notePins(
  pins: readonly WorkloadPin[],
  { tree: { entries } }: Workload,
  ranks: number,
  directoryAt: (path: string) => number | undefined,
  notes: string[],
): void {
  // Of several for one directory the last one counts.
  const each = [...new Map(pins.map((pin) => [pin.path, pin])).values()];
  const isRoot = ({ path }: WorkloadPin): boolean => /^\/*$/.test(path);
  if (each.some(isRoot)) notes.push('the pin of / does nothing: Ceph has none on it');
  const tell = (found: readonly WorkloadPin[], text: (pin: WorkloadPin) => string): void => {
    notes.push(...found.slice(0, MOST_NOTES).map(text));
    const others = found.length - MOST_NOTES;
    if (others > 0) notes.push(`so it is with ${others} more`);
  };
  tell(
    each.filter((pin) => !isRoot(pin) && pin.rank !== undefined && pin.rank >= ranks),
    ({ path, rank }) =>
      `${path} is pinned to mds.${rank}, which is not there: the pin waits, and the balancer leaves it alone`,
  );
  tell(
    each.filter(
      (pin) => !isRoot(pin) && (pin.rank ?? -1) !== -1 && entries[directoryAt(pin.path) ?? 0] === 0,
    ),
    ({ path }) => `${path} is empty: its pin waits until there is something in it, as with Ceph`,
  );
}

/** Begins and ends what is done, each at its time. */
export function planLoads(
  { loads, isSettled }: Workload,
  state: MetadataState,
  events: EventQueue,
  fragmenter: Fragmenter,
): void {
  for (const load of loads) {
    const apply = (sign: 1 | -1): void => {
      const code = load.fragment ?? 0;
      for (const directory of Array.from(load.directories)) {
        state.flow(directory, code, load, sign, isSettled && sign === 1 && load.from <= 0);
        for (const fragment of state.tree.fragmentsOf(directory)) fragmenter.watch(fragment);
      }
    };
    if (load.to <= load.from) continue;
    events.add(Math.max(0, load.from), () => apply(1));
    if (load.to < Infinity) events.add(Math.max(0, load.to), () => apply(-1));
  }
}
