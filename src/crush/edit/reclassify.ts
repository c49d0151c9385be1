/**
 * Turns a map of before device classes, which has a tree and rules of its own for each kind of disk, into one with
 * classes, without moving data: the ids that placement hashes stay, as those of shadow buckets. Follows
 * `CrushWrapper::reclassify`.
 */
import { CrushError, type CrushErrno } from '../../errors.ts';
import { makeBucket } from '../bucket.ts';
import type { CrushDraft } from '../draft.ts';
import type { CrushBucket } from '../model.ts';
import { getOrCreateClass, rebuildRootsWithClasses } from './classes.ts';
import { insertItem, linkBucket } from './hierarchy.ts';
import { floatWeight } from './fixed-weight.ts';
import { immediateParent, splitIdClass, subtreeContains, takenItems, weightIn } from './lookup.ts';

/** What to reclassify; both parts in the order of their keys. */
export interface Reclassification {
  /** Class by name of a root whose devices, by now, all have that class. */
  readonly roots: ReadonlyMap<string, string>;
  /**
   * Class and parent for new buckets, by a pattern of bucket names: `%SUFFIX` or `PREFIX%`, where the rest is the
   * name of the bucket to merge into, or a whole name, to merge into the parent.
   */
  readonly buckets: ReadonlyMap<string, { readonly deviceClass: string; readonly parent: string }>;
}

/**
 * Reclassifies a draft.
 *
 * @param report - Gets a line, without its end, for each step, in the original's words.
 * @param strerror - The original's words for an errno.
 * @throws CrushError `refused` or `not-found`, after the report said what is wrong.
 */
export function reclassify(
  draft: CrushDraft,
  { roots, buckets }: Reclassification,
  report: (line: string) => void,
  strerror: (errno: CrushErrno) => string,
): void {
  for (const [root, className] of roots) classifyRoot(draft, root, className, { report, strerror });
  const merge: Merge = { sendTo: new Map(), classBuckets: new Map(), names: new Map(), made: new Map() };
  for (const [pattern, { deviceClass, parent }] of buckets) {
    matchBuckets(draft, merge, { pattern, className: deviceClass, parent }, report);
  }
  draft.forgetNames();

  const inserting: Guard = (edit) => reporting(edit, 'reclassify err from insert_item', { report, strerror });
  for (const [from, to] of [...merge.sendTo].sort(([a], [b]) => a - b)) {
    report(`moving items from ${from} (${nameOf(draft, from)}) to ${to} (${nameOf(draft, to)})`);
    moveItems(draft, merge, from, to, inserting);
  }
  for (const [id, { typeName, parent }] of [...merge.made].sort(([a], [b]) => a - b)) {
    if (immediateParent(draft, id) !== undefined) continue;
    report(`new bucket ${id} missing parent, adding at {${typeName}=${parent}}`);
    inserting(() => linkBucket(draft, id, new Map([[typeName, parent]])));
  }
  for (const [id, shadows] of merge.classBuckets) {
    const known = draft.classBuckets.get(id);
    draft.classBuckets.set(id, new Map([...(known ?? []), ...shadows]));
  }
  for (const [id, name] of merge.names) draft.itemNames.set(id, name);
  reporting(() => rebuildRootsWithClasses(draft), REBUILD_FAILED, { report, strerror });
}

const REBUILD_FAILED = 'failed to rebuild_roots_with_classes';

/** How the original's words get out. */
interface Voice {
  readonly report: (line: string) => void;
  readonly strerror: (errno: CrushErrno) => string;
}

/** Does an edit and says so if it is refused. */
type Guard = (edit: () => void) => void;

function reporting(edit: () => void, what: string, { report, strerror }: Voice): void {
  try {
    edit();
  } catch (error) {
    if (error instanceof CrushError && error.errno !== undefined) report(`${what}: ${strerror(error.errno)}`);
    throw error;
  }
}

/** Gives all buckets of a tree new ids; the old ids become those of their shadows for the class. */
function classifyRoot(draft: CrushDraft, root: string, className: string, voice: Voice): void {
  const { report } = voice;
  const rootId = draft.itemId(root);
  if (rootId === undefined) {
    report(`root ${root} does not exist`);
    throw new CrushError('not-found', `there is no root '${root}'`, {}, 'EINVAL');
  }
  const classId = getOrCreateClass(draft, className);
  report(`classify_root ${root} (${rootId}) as ${className}`);
  checkTakes(draft, root, rootId, report);

  const renumbered = new Map<number, number>();
  const stack = [rootId];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const bucket = draft.bucket(id);
    if (bucket === undefined) {
      report(`cannot find bucket ${id}: (2) No such file or directory`);
      throw new CrushError('not-found', `there is no bucket ${id}`, {}, 'ENOENT');
    }
    const newId = newBucketId(draft);
    report(`  renumbering bucket ${id} -> ${newId}`);
    renumbered.set(id, newId);
    renumber(draft, bucket, newId, { id: classId, name: className });
    for (const item of bucket.items) if (item < 0) stack.push(item);
  }
  for (const bucket of draft.buckets) {
    if (!bucket?.items.some((item) => renumbered.has(item))) continue;
    draft.setBucket({ ...bucket, items: bucket.items.map((item) => renumbered.get(item) ?? item) });
  }
  reporting(() => rebuildRootsWithClasses(draft), REBUILD_FAILED, voice);
}

/** Refuses a root that rules take with a class already. */
function checkTakes(draft: CrushDraft, root: string, rootId: number, report: (line: string) => void): void {
  for (const { rule, item } of takenItems(draft)) {
    const split = splitIdClass(draft, item);
    if (split === undefined) {
      throw new CrushError('invalid-map', `rule ${rule} takes ${item}, which has no name`, {}, 'EINVAL');
    }
    if (split.classId === undefined || split.original !== rootId) continue;
    report(`  rule ${rule} includes take on root ${root} class ${split.classId}`);
    throw new CrushError('refused', `rule ${rule} takes a class of '${root}' already`, {}, 'EINVAL');
  }
}

/** Moves a bucket to a new id and leaves an empty one, its shadow to be, in its place. */
function renumber(
  draft: CrushDraft,
  bucket: CrushBucket,
  newId: number,
  deviceClass: { readonly id: number; readonly name: string },
): void {
  const { id, alg, hash, type } = bucket;
  draft.setBucket({ ...bucket, id: newId });
  draft.setBucket(makeBucket({ id, alg, hash, type }, draft.tunables.strawCalcVersion));
  for (const args of draft.chooseArgs.values()) {
    const arg = args.get(id);
    args.delete(id);
    if (arg !== undefined) args.set(newId, arg);
  }
  draft.classBuckets.delete(id);
  draft.classBuckets.set(newId, new Map([...(draft.classBuckets.get(newId) ?? []), [deviceClass.id, id]]));
  // Into the table only: lookups by name go on as they were until the trees are rebuilt.
  const name = nameOf(draft, id);
  draft.itemNames.set(newId, name);
  draft.itemNames.set(id, `${name}~${deviceClass.name}`);
}

/** What is to be merged into what. */
interface Merge {
  /** Bucket to take items from -> bucket that gets them. */
  readonly sendTo: Map<number, number>;
  readonly classBuckets: Map<number, Map<number, number>>;
  readonly names: Map<number, string>;
  /** Where the buckets go that were made. */
  readonly made: Map<number, { readonly name: string; readonly typeName: string; readonly parent: string }>;
}

/** Finds the buckets that a pattern matches, and makes those they are to be merged into. */
function matchBuckets(
  draft: CrushDraft,
  merge: Merge,
  { pattern, className, parent }: { pattern: string; className: string; parent: string },
  report: (line: string) => void,
): void {
  const parentId = draft.itemId(parent);
  if (parentId === undefined) {
    report(`default parent ${parent} does not exist`);
    throw new CrushError('not-found', `there is no bucket '${parent}'`, {}, 'EINVAL');
  }
  const typeName = draft.typeNames.get(draft.bucketAt(parentId).type) ?? '';
  report(`classify_bucket ${pattern} as ${className} default bucket ${parent} (${typeName})`);
  const classId = getOrCreateClass(draft, className);
  // Buckets that are made on the way are looked at as well.
  for (const bucket of draft.buckets) {
    if (bucket === undefined || draft.isShadow(bucket.id)) continue;
    const name = nameOf(draft, bucket.id);
    const basename = matchName(pattern, name, parent);
    if (basename === undefined) continue;
    report(`match ${pattern} to ${name} basename ${basename}`);
    const base = baseBucket(draft, merge, bucket, { name: basename, typeName, parent }, report);
    merge.sendTo.set(bucket.id, base);
    const shadows = merge.classBuckets.get(base) ?? new Map<number, number>();
    merge.classBuckets.set(base, shadows.set(classId, bucket.id));
    merge.names.set(bucket.id, `${basename}~${className}`);
    for (const item of bucket.items) if (item >= 0) draft.itemClasses.set(item, classId);
  }
}

/** The id of the bucket to merge into: there already, made before, or made now. */
function baseBucket(
  draft: CrushDraft,
  merge: Merge,
  like: CrushBucket,
  base: { readonly name: string; readonly typeName: string; readonly parent: string },
  report: (line: string) => void,
): number {
  const known = draft.itemId(base.name);
  if (known !== undefined) {
    report(`  have base ${known}`);
    return known;
  }
  for (const [id, { name }] of merge.made) {
    if (name !== base.name) continue;
    report(`  already creating base ${id}`);
    return id;
  }
  const id = newBucketId(draft);
  const { alg, hash, type } = like;
  draft.setBucket(makeBucket({ id, alg, hash, type }, draft.tunables.strawCalcVersion));
  draft.itemNames.set(id, base.name);
  merge.made.set(id, base);
  report(`  created base ${id}`);
  return id;
}

/** What a pattern leaves of a name, or undefined where it does not match. */
function matchName(pattern: string, name: string, parent: string): string | undefined {
  if (name.length < pattern.length) return undefined;
  if (pattern.startsWith('%')) {
    const suffix = pattern.slice(1);
    return name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : undefined;
  }
  if (pattern.endsWith('%')) {
    const prefix = pattern.slice(0, -1);
    return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
  }
  return name === pattern ? parent : undefined;
}

/** Puts what a bucket holds into another as well: devices, and for buckets those they are merged into. */
function moveItems(draft: CrushDraft, merge: Merge, from: number, to: number, inserting: Guard): void {
  for (const item of draft.bucketAt(from).items) {
    const toBucket = draft.bucketAt(to);
    const location = new Map([[draft.typeNames.get(toBucket.type) ?? '', nameOf(draft, to)]]);
    if (item >= 0) {
      if (subtreeContains(draft, to, item)) continue;
      const weight = floatWeight(weightIn(draft, draft.itemId(nameOf(draft, from)) ?? 0, item) ?? -2);
      inserting(() => insertItem(draft, item, weight, nameOf(draft, item), location));
      continue;
    }
    const merged = merge.sendTo.get(item);
    if (merged === undefined) {
      throw new CrushError(
        'refused',
        `bucket ${item} in bucket ${from} is not reclassified as well; add a pattern that matches it`,
        {},
        'EINVAL',
      );
    }
    if (!subtreeContains(draft, to, merged)) inserting(() => linkBucket(draft, merged, location));
  }
}

/** The highest free bucket id; the table grows by one place where there is none (`get_new_bucket_id`). */
function newBucketId(draft: CrushDraft): number {
  const index = draft.buckets.indexOf(undefined);
  if (index !== -1) return -1 - index;
  draft.growBuckets(draft.buckets.length + 1);
  return -draft.buckets.length;
}

/** Every bucket that is reclassified must have a name. */
function nameOf(draft: CrushDraft, id: number): string {
  const name = draft.itemNames.get(id);
  if (name !== undefined) return name;
  throw new CrushError('invalid-map', `item ${id} has no name; give it one`, {}, 'EINVAL');
}
