/**
 * Device classes and their shadow trees: for every root and every class a copy of the tree that holds only devices
 * of the class, whose buckets are named `NAME~CLASS`. Follows `CrushWrapper::rebuild_roots_with_classes`.
 */
import { CrushError } from '../../errors.ts';
import { addBucketItem, bucketItemWeights, makeBucket, tooHeavy } from '../bucket.ts';
import { ascending, type CrushDraft } from '../draft.ts';
import type { ChooseArg, CrushBucket } from '../model.ts';
import { isValidName } from '../names.ts';
import { addToTable } from './bucket-table.ts';
import { updateChooseArgs } from './choose-args.ts';
import { nonShadowRoots, shadowRoots, takenItems } from './lookup.ts';

/**
 * Makes all shadow trees anew, after any change of the hierarchy, of weights or of classes. Shadow buckets keep
 * their ids; classes that no device has and no rule takes go away.
 *
 * @throws CrushError where a bucket has no name (`ECHILD`), or a uniform bucket holds devices of a class (`EINVAL`):
 *   its shadow starts with items that weigh 0 and takes none that weigh anything.
 */
export function rebuildRootsWithClasses(draft: CrushDraft): void {
  if (postponed.has(draft)) {
    postponed.set(draft, true);
    return;
  }
  const former = new Map([...draft.classBuckets].map(([id, shadows]) => [id, new Map(shadows)]));
  removeDeadClasses(draft);
  removeShadowTrees(draft);
  draft.classBuckets.clear();
  makeShadowTrees(draft, former);
}

/**
 * Makes the shadow trees of all roots and classes, where there are none yet (`CrushWrapper::populate_classes`).
 *
 * @param former - Ids to give the shadows, by bucket and class; no other bucket gets one of them.
 * @throws CrushError as {@link rebuildRootsWithClasses} does; the trees made until then stay.
 */
export function makeShadowTrees(
  draft: CrushDraft,
  former: ReadonlyMap<number, ReadonlyMap<number, number>>,
): void {
  const usedIds = new Set([...former.values()].flatMap((shadows) => [...shadows.values()]));
  const cloner = new ShadowCloner(draft, former, usedIds);
  for (const root of nonShadowRoots(draft)) {
    for (const classId of ascending(draft.classNames.keys())) cloner.clone(root, classId);
  }
}

/** Drafts whose shadow trees are not kept up for now, and whether they are to be made anew. */
const postponed = new WeakMap<CrushDraft, boolean>();

/** Leaves shadow trees as they are, whatever is edited, until {@link settleShadowTrees}: that costs once, not always. */
export function postponeShadowTrees(draft: CrushDraft): void {
  if (!postponed.has(draft)) postponed.set(draft, false);
}

/**
 * Makes shadow trees anew where edits since {@link postponeShadowTrees} would have, and keeps them up again.
 *
 * @returns Whether they were postponed.
 */
export function settleShadowTrees(draft: CrushDraft): boolean {
  const isDue = postponed.get(draft);
  postponed.delete(draft);
  if (isDue === true) rebuildRootsWithClasses(draft);
  return isDue !== undefined;
}

/** Number of the class with a name; it is made where there is none (`CrushWrapper::get_or_create_class_id`). */
export function getOrCreateClass(draft: CrushDraft, name: string): number {
  const known = draft.classId(name);
  if (known !== undefined) return known;
  const id = Math.max(-1, ...draft.classNames.keys()) + 1;
  draft.classNames.set(id, name);
  return id;
}

/**
 * Sets the class of all devices below a bucket; shadow trees are not rebuilt (`CrushWrapper::set_subtree_class`).
 *
 * @throws CrushError `not-found`.
 */
export function setSubtreeClass(draft: CrushDraft, subtree: string, className: string): void {
  const root = draft.itemId(subtree);
  if (root === undefined) throw noSuchItem(subtree);
  const classId = getOrCreateClass(draft, className);
  const queue = [root];
  for (const id of queue) {
    const bucket = draft.bucket(id);
    if (bucket === undefined) {
      throw new CrushError(
        'not-found',
        `'${subtree}' is a device, not a bucket; name the bucket it is in`,
        {},
        'ENOENT',
      );
    }
    for (const item of bucket.items) {
      if (item >= 0) draft.itemClasses.set(item, classId);
      else queue.push(item);
    }
  }
}

/**
 * Sets the class of one device, or takes it away, and rebuilds the shadow trees (`CrushWrapper::update_device_class`,
 * `remove_device_class`).
 *
 * @param className - undefined for none.
 */
export function setDeviceClass(draft: CrushDraft, device: number, className: string | undefined): void {
  if (device < 0) {
    throw new CrushError('bad-argument', `${device} is a bucket; only devices have a class`, {}, 'EINVAL');
  }
  if (className === undefined) draft.itemClasses.delete(device);
  else if (isValidName(className)) draft.itemClasses.set(device, getOrCreateClass(draft, className));
  else throw badName(className);
  rebuildRootsWithClasses(draft);
}

/** The error for a name that no item or class can have. */
export function badName(name: unknown): CrushError {
  return new CrushError(
    'bad-argument',
    `'${String(name)}' cannot be a name; use letters, digits, '-', '_' and '.'`,
    {},
    'EINVAL',
  );
}

/** The error for a name that nothing has. */
export function noSuchItem(name: string): CrushError {
  return new CrushError('not-found', `there is no device or bucket '${name}' in the map`, {}, 'ENOENT');
}

/** `CrushWrapper::cleanup_dead_classes`. */
function removeDeadClasses(draft: CrushDraft): void {
  const alive = new Set<number>();
  for (const [item, classId] of draft.itemClasses) if (item >= 0) alive.add(classId);
  const taken = new Set([...takenItems(draft)].map(({ item }) => item));
  for (const shadows of draft.classBuckets.values()) {
    for (const [classId, shadow] of shadows) if (taken.has(shadow)) alive.add(classId);
  }
  for (const classId of draft.classNames.keys()) if (!alive.has(classId)) draft.classNames.delete(classId);
}

/** `CrushWrapper::trim_roots_with_class`. */
function removeShadowTrees(draft: CrushDraft): void {
  const roots = shadowRoots(draft);
  for (const root of roots) removeTree(draft, root);
  if (roots.length > 0) updateChooseArgs(draft);
}

function removeTree(draft: CrushDraft, id: number): void {
  const bucket = draft.bucket(id);
  if (bucket === undefined) return;
  for (const item of bucket.items) if (item < 0) removeTree(draft, item);
  draft.deleteBucket(id);
  if (draft.itemNames.delete(id)) draft.forgetNames();
  draft.classBuckets.delete(id);
  draft.itemClasses.delete(id);
}

/** Copies trees, each bucket once a class (`CrushWrapper::device_class_clone`). */
class ShadowCloner {
  readonly #draft: CrushDraft;
  readonly #former: ReadonlyMap<number, ReadonlyMap<number, number>>;
  readonly #usedIds: ReadonlySet<number>;
  /** Sums of the weight-sets of shadow buckets by choose_args index and id, for the buckets above them. */
  readonly #sums = new Map<number, Map<number, readonly number[]>>();
  /** No place of the bucket table before this is free. */
  #firstFree = 0;

  constructor(
    draft: CrushDraft,
    former: ReadonlyMap<number, ReadonlyMap<number, number>>,
    usedIds: ReadonlySet<number>,
  ) {
    this.#draft = draft;
    this.#former = former;
    this.#usedIds = usedIds;
  }

  /** The id of a bucket's shadow for a class; it is made where there is none yet. */
  clone(originalId: number, classId: number): number {
    const draft = this.#draft;
    const name = draft.itemNames.get(originalId);
    if (name === undefined) {
      throw new CrushError('invalid-map', `bucket ${originalId} has no name; give it one`, {}, 'ECHILD');
    }
    const shadowName = `${name}~${draft.classNames.get(classId) ?? ''}`;
    const known = draft.itemId(shadowName);
    if (known !== undefined) return known;

    const original = draft.bucketAt(originalId);
    const { copy, positions } = this.#copy(original, classId);
    const id = this.#former.get(originalId)?.get(classId) ?? this.#freeId();
    addToTable(draft, { ...copy, id });
    draft.itemClasses.set(id, classId);
    draft.setAnyItemName(id, shadowName);
    const shadows = draft.classBuckets.get(originalId);
    if (shadows === undefined) draft.classBuckets.set(originalId, new Map([[classId, id]]));
    else shadows.set(classId, id);
    for (const [index, args] of draft.chooseArgs) {
      const sums = this.#sums.get(index) ?? new Map<number, readonly number[]>();
      this.#sums.set(index, sums);
      args.set(id, shadowChooseArg(args.get(originalId), { id, items: copy.items, positions }, sums));
    }
    return id;
  }

  /**
   * The shadow of a bucket, as yet with the bucket's id, and the positions of its items in the bucket. Items come
   * one by one, and the first that does not fit ends all.
   */
  #copy(original: CrushBucket, classId: number): { copy: CrushBucket; positions: number[] } {
    const version = this.#draft.tunables.strawCalcVersion;
    const { id, alg, hash, type } = original;
    const own = bucketItemWeights(original);
    let copy = makeBucket({ id, alg, hash, type }, version);
    const items: number[] = [];
    const weights: number[] = [];
    const positions: number[] = [];
    let total = 0;
    for (const [position, item] of original.items.entries()) {
      if (item >= 0 && this.#draft.itemClasses.get(item) !== classId) continue;
      const shadow = item < 0 ? this.clone(item, classId) : item;
      const weight = item < 0 ? this.#draft.bucketAt(shadow).weight : (own[position] ?? 0);
      items.push(shadow);
      weights.push(weight);
      positions.push(position);
      total += weight;
      if (alg === 1) copy = addBucketItem(copy, shadow, weight, version);
      else if (total > 0xffff_ffff) throw tooHeavy(id);
    }
    // Adding items one by one gives the same, but computes all straws for each.
    if (alg !== 1) copy = makeBucket({ id, alg, hash, type, items, weights }, version);
    return { copy, positions };
  }

  /** The highest id that no bucket has and no shadow had. */
  #freeId(): number {
    const { buckets } = this.#draft;
    let index = this.#firstFree;
    while (buckets[index] !== undefined || this.#usedIds.has(-1 - index)) index++;
    this.#firstFree = index;
    return -1 - index;
  }
}

/**
 * The choose_args entry of a shadow bucket: the weights of its items in the original's weight-sets. As in Ceph, ids
 * are not taken over, and of the sums that a bucket hands up only the last position's is kept.
 */
function shadowChooseArg(
  original: ChooseArg | undefined,
  shadow: { readonly id: number; readonly items: Int32Array; readonly positions: readonly number[] },
  sums: Map<number, readonly number[]>,
): ChooseArg {
  const sets = original?.weightSet ?? [];
  const weightSet = sets.map((weights, set) =>
    Uint32Array.from(shadow.items, (item, i) =>
      item >= 0 ? (weights[shadow.positions[i] ?? 0] ?? 0) : (sums.get(item)?.[set] ?? 0),
    ),
  );
  if (sets.length > 0) {
    const total = (weightSet.at(-1) ?? new Uint32Array(0)).reduce((sum, weight) => sum + weight, 0);
    sums.set(
      shadow.id,
      sets.map((_, set) => (set === sets.length - 1 ? total | 0 : 0)),
    );
  }
  return { weightSet };
}
