/** In what two CRUSH maps differ, as a chain of maps that each differ from the one before by one kind of change. */
import { CrushDraft } from '../../crush/draft.ts';
import { checkEditable } from '../../crush/edit/lookup.ts';
import { FlatMap } from '../../crush/flat.ts';
import type { CrushMap } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { CrushStages } from './crush-stage.ts';

/** Kinds of changes of CRUSH maps, in the order in which they are made one after the other. */
export type CrushCause =
  | 'osd-removed'
  | 'bucket-moved'
  | 'osd-added'
  | 'crush-weight'
  | 'bucket-algorithm'
  | 'device-class'
  | 'choose-args'
  | 'rule'
  | 'tunables';

/** The map after a kind of change. */
export interface CrushStep {
  readonly cause: CrushCause;
  readonly crush: CrushMap;
}

/**
 * The changes from one map to another. The last map is the second of the two; where they place alike there are no
 * steps. A stage that no map can be made of is left out: what it would have moved is seen at the next.
 */
export function crushChanges(before: CrushMap, after: CrushMap): CrushStep[] {
  const steps: CrushStep[] = [];
  let last = before;
  const add = (cause: CrushCause, make: () => CrushMap): void => {
    let crush: CrushMap;
    try {
      crush = make();
    } catch (error) {
      if (error instanceof CrushError) return;
      throw error;
    }
    if (placesAlike(last, crush)) return;
    steps.push({ cause, crush });
    last = crush;
  };

  if (!sameHierarchy(before, after) && !(isBuildable(before) && isBuildable(after))) {
    const { rules, chooseArgs, tunables } = before;
    add('bucket-moved', () => ({ ...after, rules, chooseArgs, tunables }));
  } else if (!sameHierarchy(before, after)) {
    const stages = new CrushStages(before, after);
    const old = { weights: 'before', algorithms: 'before' } as const;
    const isInBefore = (device: number): boolean => stages.holds('before', device);
    const isInAfter = (device: number): boolean => stages.holds('after', device);
    const isInBoth = (device: number): boolean => isInBefore(device) && isInAfter(device);
    const keeps = (): boolean => true;
    add('osd-removed', () => stages.hierarchy({ ...old, shape: 'before', keeps: isInAfter }));
    add('bucket-moved', () => stages.hierarchy({ ...old, shape: 'after', keeps: isInBoth }));
    add('osd-added', () => stages.hierarchy({ ...old, shape: 'after', keeps }));
    add('crush-weight', () => stages.hierarchy({ ...old, shape: 'after', keeps, weights: 'after' }));
    add('bucket-algorithm', () =>
      stages.hierarchy({ shape: 'after', keeps, weights: 'after', algorithms: 'after' }),
    );
    add('device-class', () => stages.classes());
  }
  const { rules, tunables } = last;
  add('choose-args', () => ({ ...after, rules, tunables }));
  add('rule', () => ({ ...after, tunables }));
  add('tunables', () => after);
  return steps;
}

/** Whether stages can be made of a map; of others the whole difference of the hierarchies is taken for one. */
function isBuildable(map: CrushMap): boolean {
  try {
    checkEditable(CrushDraft.from(map));
    return true;
  } catch (error) {
    if (error instanceof CrushError) return false;
    throw error;
  }
}

/** Whether all that the mapper reads of two maps is the same. */
export function placesAlike(a: CrushMap, b: CrushMap): boolean {
  if (a === b) return true;
  const first = FlatMap.fromModel(inOrder(a)).words;
  const second = FlatMap.fromModel(inOrder(b)).words;
  return first.length === second.length && first.every((word, i) => word === second[i]);
}

/** Whether two maps have the same buckets, with the same items and weights. */
function sameHierarchy(a: CrushMap, b: CrushMap): boolean {
  const bare = (map: CrushMap): CrushMap => ({
    ...map,
    rules: [],
    chooseArgs: new Map(),
    tunables: a.tunables,
    maxDevices: Math.max(a.maxDevices, b.maxDevices),
  });
  return placesAlike(bare(a), bare(b));
}

/** The map with its weight-sets in one order, whatever order they came in. */
function inOrder(map: CrushMap): CrushMap {
  const sorted = <T>(table: ReadonlyMap<number, T>): [number, T][] => [...table].sort(([a], [b]) => a - b);
  const sets = sorted(map.chooseArgs).map(([index, args]) => [index, new Map(sorted(args))] as const);
  return { ...map, chooseArgs: new Map(sets) };
}
