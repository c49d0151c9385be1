/** Compiles the buckets of a CRUSH map text (`CrushCompiler::parse_bucket`). */
import { addBucket } from '../crush/edit/bucket-table.ts';
import { BUCKET_ALGORITHM, WEIGHT_ONE } from '../crush/model.ts';
import { intOf, weightOf } from './crush-text-numbers.ts';
import type { CompileState } from './crush-text-state.ts';
import type { BucketNode, ItemNode, Word } from './crush-text-syntax.ts';
import { ALGORITHMS, meaningOf } from './crush-text-words.ts';

/** Heaviest device that may be written, 16.16 (`CRUSH_MAX_DEVICE_WEIGHT`). */
const MAX_DEVICE_WEIGHT = 100 * WEIGHT_ONE;

/** Heaviest bucket that may be written, 16.16 (`CRUSH_MAX_BUCKET_WEIGHT`). */
const MAX_BUCKET_WEIGHT = 65535 * WEIGHT_ONE;

/** Adds a bucket with its items. */
export function compileBucket(state: CompileState, node: BucketNode): void {
  const { name } = node;
  if (state.hasRule) {
    return state.refuse(
      node.type,
      `bucket '${name.text}' stands after a rule; put all buckets before the rules`,
      'buckets must be defined before rules\n',
    );
  }
  const type = state.typeIds.get(node.type.text);
  if (type === undefined) {
    return state.refuse(
      node.type,
      `there is no bucket type '${node.type.text}'; define it above (type 1 ${node.type.text})`,
      `bucket type '${node.type.text}' is not defined\n`,
    );
  }
  if (state.itemIds.has(name.text)) {
    return state.refuse(
      name,
      `there is a bucket or device '${name.text}' already; give each its own name`,
      `bucket or device '${name.text}' is already defined\n`,
    );
  }
  const { givenId, shadowIds } = readIds(state, node);
  const alg = meaningOf<number>(ALGORITHMS, node.algorithm.text);
  if (alg === undefined) {
    return state.refuse(
      node.algorithm,
      `there is no bucket algorithm '${node.algorithm.text}'; use straw2, straw, tree, list or uniform`,
      `unknown bucket alg '${node.algorithm.text}'\n\n`,
    );
  }
  const hash = node.hashes.reduce((_, word) => (word.text === 'rjenkins1' ? 0 : intOf(word.text)), 0);
  const { items, weights, total } = readItems(state, node, alg);
  const id = givenId === 0 ? state.freeId() : givenId;
  if (shadowIds.size > 0) {
    state.shadowIds.set(id, new Map([...(state.shadowIds.get(id) ?? []), ...shadowIds]));
  }
  if (state.isVerbose) {
    const weight = state.listener.formatWeight(total);
    state.listener.say(`bucket ${name.text} (${id}) ${items.length} items and weight ${weight}\n`);
  }
  state.usedIds.add(id);
  state.itemIds.set(name.text, id);
  state.bucketWeights.set(id, total);
  state.build(name, () =>
    addBucket(state.draft, { id, alg, hash: hash & 0xff, type: type & 0xffff, items, weights }),
  );
  state.draft.setItemName(id, name.text);
}

/** The bucket's own id, 0 for none, and those of its shadows by class. */
function readIds(
  state: CompileState,
  { name, ids }: BucketNode,
): { givenId: number; shadowIds: Map<number, number> } {
  let givenId = 0;
  const shadowIds = new Map<number, number>();
  for (const { id: word, className } of ids) {
    const id = intOf(word.text);
    if (id > 0) return state.refuse(word, `bucket id ${word.text} is beyond 31 bits`);
    if (className === undefined) {
      if (state.isVerbose) state.listener.say(`bucket ${name.text} id ${id}\n`);
      givenId = id;
      continue;
    }
    const classId = state.classOf(className.text);
    if (shadowIds.has(classId)) {
      return state.refuse(
        className,
        `bucket '${name.text}' has two ids for class '${className.text}'; remove one`,
        (state.listener.verbose > 0 ? `bucket ${name.text} id ${id}` : '') +
          `duplicate device class ${className.text} for bucket ${name.text}\n`,
      );
    }
    shadowIds.set(classId, id);
    if (state.isVerbose) state.listener.say(`bucket ${name.text} id ${id} class '${className.text}'\n`);
  }
  return { givenId, shadowIds };
}

/** Items and weights by position: those without `pos` take the first free one. */
function readItems(
  state: CompileState,
  { name: bucket, items: nodes }: BucketNode,
  alg: number,
): { items: Int32Array; weights: Uint32Array; total: number } {
  const taken = takenPositions(state, bucket, nodes);
  // Ceph takes the highest pos for a size; where it is one, an item is at or beyond the end.
  let size = nodes.length;
  for (const pos of taken) size = Math.max(size, pos);
  const items = new Int32Array(nodes.length);
  const weights = new Uint32Array(nodes.length);
  let nextFree = 0;
  let total = 0;
  let uniformWeight: number | undefined;
  for (const node of nodes) {
    const { name, position } = node;
    const id = state.itemIds.get(name.text);
    if (id === undefined) {
      return state.refuse(
        name,
        `there is no device or bucket '${name.text}' for bucket '${bucket.text}'; define it above`,
        `item '${name.text}' in bucket '${bucket.text}' is not defined\n`,
      );
    }
    const weight = itemWeight(state, id, node.weight);
    if (alg === BUCKET_ALGORITHM.uniform) {
      uniformWeight ??= weight;
      if (weight !== uniformWeight) return refuseUneven(state, bucket, node, weight, uniformWeight);
    }
    let pos = position === undefined ? -1 : intOf(position.text);
    if (pos >= size) {
      return state.refuse(
        position ?? name,
        `item '${name.text}' has pos ${pos}, bucket '${bucket.text}' has positions 0 to ${nodes.length - 1}`,
        `item '${name.text}' in bucket '${bucket.text}' has pos ${pos} >= size ${size}\n`,
      );
    }
    if (pos < 0) {
      while (taken.has(nextFree)) nextFree++;
      pos = nextFree++;
    }
    items[pos] = id;
    weights[pos] = weight;
    total += weight;
    if (total > 0xffff_ffff) {
      return state.refuse(
        node.weight ?? name,
        `the items of bucket '${bucket.text}' together weigh 65536.0 or more; lower their weights`,
        'oh no! our bucket weights are overflowing all over the place, better lower the item weights\n',
      );
    }
  }
  return { items, weights, total };
}

/** Positions that items ask for. */
function takenPositions(state: CompileState, bucket: Word, nodes: readonly ItemNode[]): Set<number> {
  const taken = new Set<number>();
  for (const { name, position } of nodes) {
    if (position === undefined) continue;
    const pos = intOf(position.text);
    if (taken.has(pos)) {
      state.refuse(
        position,
        `item '${name.text}' of bucket '${bucket.text}' has pos ${pos}, and so has another`,
        `item '${name.text}' in bucket '${bucket.text}' has explicit pos ${pos}, which is occupied\n`,
      );
    }
    taken.add(pos);
  }
  return taken;
}

/** Refuses an item of a uniform bucket that weighs other than those before it. */
function refuseUneven(
  state: CompileState,
  bucket: Word,
  { name, weight: word }: ItemNode,
  weight: number,
  before: number,
): never {
  return state.refuse(
    word ?? name,
    `item '${name.text}' weighs other than those before it in uniform bucket '${bucket.text}'; ` +
      'give all the same weight, or use straw2',
    `item '${name.text}' in uniform bucket '${bucket.text}' has weight ${weight} but previous item(s) have ` +
      `weight ${state.listener.formatWeight(before)}; uniform bucket items must all have identical weights.\n`,
  );
}

/** 16.16 weight of an item: as written, else a bucket's own, else 1.0. */
function itemWeight(state: CompileState, id: number, word: Word | undefined): number {
  if (word === undefined) return state.bucketWeights.get(id) ?? WEIGHT_ONE;
  const weight = weightOf(word.text);
  if (id >= 0 && weight > MAX_DEVICE_WEIGHT) {
    return state.refuse(
      word,
      `a device may weigh at most 100, this one weighs ${word.text}`,
      'device weight limited to 100\n',
    );
  }
  if (id < 0 && weight > MAX_BUCKET_WEIGHT) {
    return state.refuse(
      word,
      `a bucket may weigh at most 65535, this one weighs ${word.text}`,
      'bucket weight limited to 65535 to prevent overflow\n',
    );
  }
  return weight;
}
