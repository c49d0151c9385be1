/** Questions that edits ask about a draft's hierarchy. */
import { CrushError } from '../../errors.ts';
import { bucketItemWeights } from '../bucket.ts';
import { ascending, type CrushDraft } from '../draft.ts';
import { RULE_OP } from '../model.ts';

/** Deepest nesting of buckets that may be edited; each level costs a level of recursion. */
const MAX_DEPTH = 256;

/** Most items below a bucket, each counted as often as there are ways down to it: edits go all of them. */
const MAX_WAYS = 1 << 24;

/**
 * Checks what all edits rely on: each bucket is where its id says, what a bucket holds is there, no bucket is below
 * itself, and the ways up and down the hierarchy are not too many.
 *
 * @throws CrushError `invalid-map`.
 */
export function checkEditable(draft: CrushDraft): void {
  const known = new Map<number, { readonly depth: number; readonly ways: number }>();
  const underway = new Set<number>();
  const measure = (id: number): { readonly depth: number; readonly ways: number } => {
    const before = known.get(id);
    if (before !== undefined) return before;
    if (underway.has(id)) throw invalid(`bucket ${id} is below itself; take it out of one of its holders`);
    if (underway.size >= MAX_DEPTH) throw tooDeep();
    underway.add(id);
    let depth = 1;
    let ways = 1;
    for (const item of draft.bucketAt(id).items) {
      const below = item < 0 ? measure(item) : { depth: 0, ways: 1 };
      depth = Math.max(depth, below.depth + 1);
      ways += below.ways;
    }
    underway.delete(id);
    if (depth > MAX_DEPTH) throw tooDeep();
    if (ways > MAX_WAYS)
      throw invalid(`bucket ${id} holds others over and over; let fewer buckets share others`);
    known.set(id, { depth, ways });
    return { depth, ways };
  };
  for (const [index, bucket] of draft.buckets.entries()) {
    if (bucket === undefined) continue;
    if (bucket.id !== -1 - index) {
      throw invalid(
        `the bucket at place ${index} of the table has the id ${bucket.id}; it must be ${-1 - index}`,
      );
    }
    measure(bucket.id);
  }
}

/** Ids of the buckets that no bucket holds, without those of shadow trees (`find_nonshadow_roots`), ascending. */
export function nonShadowRoots(draft: CrushDraft): number[] {
  return rootsOf(draft).filter((id) => !draft.isShadow(id));
}

/** Ids of the roots of shadow trees (`find_shadow_roots`), ascending. */
export function shadowRoots(draft: CrushDraft): number[] {
  return rootsOf(draft).filter((id) => draft.isShadow(id));
}

/** Whether an item is a bucket or stands anywhere below it (`CrushWrapper::subtree_contains`). */
export function subtreeContains(draft: CrushDraft, root: number, item: number): boolean {
  const seen = new Set<number>();
  const contains = (id: number): boolean => {
    if (id === item) return true;
    if (id >= 0 || seen.has(id)) return false;
    seen.add(id);
    return draft.bucket(id)?.items.some(contains) ?? false;
  };
  return contains(root);
}

/** The first bucket, not counting shadow buckets, that holds an item (`get_immediate_parent_id`). */
export function immediateParent(draft: CrushDraft, item: number): number | undefined {
  const index = draft.holdersOf(item).find((each) => !draft.isShadow(-1 - each));
  return index === undefined ? undefined : -1 - index;
}

/**
 * 16.16 weight of an item, signed: of the first bucket that is or holds it; -2 where there is none
 * (`CrushWrapper::get_item_weight`, whose callers take the error for a weight).
 */
export function itemWeightOf(draft: CrushDraft, item: number): number {
  const [holder] = draft.holdersOf(item);
  const own = item < 0 ? draft.bucket(item) : undefined;
  if (own !== undefined && (holder === undefined || -1 - item <= holder)) return own.weight | 0;
  if (holder === undefined) return -2;
  return weightIn(draft, -1 - holder, item) ?? -2;
}

/** 16.16 weight, signed, of the first of an item in a bucket. */
export function weightIn(draft: CrushDraft, bucketId: number, item: number): number | undefined {
  const bucket = draft.bucket(bucketId);
  const position = bucket?.items.indexOf(item) ?? -1;
  if (bucket === undefined || position === -1) return undefined;
  return (bucketItemWeights(bucket)[position] ?? 0) | 0;
}

/**
 * The bucket and class that an item stands for: itself without a class, or, of a shadow bucket, the bucket it
 * shadows (`CrushWrapper::split_id_class`). Undefined where the names lead nowhere.
 */
export function splitIdClass(
  draft: CrushDraft,
  item: number,
): { readonly original: number; readonly classId: number | undefined } | undefined {
  const name = draft.itemNames.get(item);
  if (name === undefined) return undefined;
  const tilde = name.indexOf('~');
  if (tilde === -1) return { original: item, classId: undefined };
  const original = draft.itemId(name.slice(0, tilde));
  const classId = draft.classId(name.slice(tilde + 1));
  return original === undefined || classId === undefined ? undefined : { original, classId };
}

/** Items that rules take, rule by rule, step by step. */
export function* takenItems(draft: CrushDraft): Generator<{ readonly rule: number; readonly item: number }> {
  for (const [rule, each] of draft.rules.entries()) {
    for (const { op, arg1 } of each?.steps ?? []) if (op === RULE_OP.take) yield { rule, item: arg1 };
  }
}

function rootsOf(draft: CrushDraft): number[] {
  const ids = draft.buckets.flatMap((bucket) =>
    bucket === undefined || draft.holdersOf(bucket.id).length > 0 ? [] : [bucket.id],
  );
  return ascending(ids);
}

function tooDeep(): CrushError {
  return invalid(`buckets are nested more than ${MAX_DEPTH} deep; use fewer levels`);
}

function invalid(text: string): CrushError {
  return new CrushError('invalid-map', text);
}
