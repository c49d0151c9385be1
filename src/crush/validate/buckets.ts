/** Checks of buckets: their tables, what they hold, who holds them. */
import { MAX_BUCKETS, MAX_DEVICES, MAX_RULES } from '../limits.ts';
import { BUCKET_ALGORITHM, HASH_RJENKINS1, RULE_OP, type CrushBucket } from '../model.ts';
import type { MapIndex } from './index-of-map.ts';
import { counted, itemText, someOf, type ProblemList } from './problems.ts';

const ALGORITHMS = new Set<number>(Object.values(BUCKET_ALGORITHM));

/** Whether a bucket has all that its algorithm reads. */
export function isWhole(bucket: CrushBucket): boolean {
  return ALGORITHMS.has(bucket.alg) && arrayFault(bucket) === undefined;
}

/** Checks every bucket by itself and in the hierarchy. */
export function checkBuckets(index: MapIndex, problems: ProblemList): void {
  checkLimits(index, problems);
  for (const [position, bucket] of index.map.buckets.entries()) {
    if (bucket === undefined) continue;
    const id = -1 - position;
    if (bucket.id !== id) {
      problems.add(
        'bucket-index',
        { bucket: bucket.id },
        `bucket ${bucket.id} stands in the place of bucket ${id}`,
        `put it at index ${-1 - bucket.id} of the bucket table`,
      );
      continue;
    }
    checkBucket(bucket, problems);
    checkItems(index, bucket, problems);
  }
  for (const ring of index.rings) {
    const names = ring.map((id) => itemText(index.map, id));
    problems.add(
      'cycle',
      { bucket: ring[0] ?? 0, item: ring.at(-1) ?? 0 },
      `the bucket contains itself (${[...names, names[0] ?? ''].join(' > ')})`,
      `take ${names[0]} out of ${names.at(-1)}: 'ceph osd crush unlink ${names[0]} ${names.at(-1)}', ` +
        `or delete the item's line in the text form`,
    );
  }
  checkParents(index, problems);
  checkPlaces(index, problems);
}

function checkLimits({ map }: MapIndex, problems: ProblemList): void {
  const limits = [
    ['devices (max_devices)', map.maxDevices, MAX_DEVICES],
    ['places for buckets', map.buckets.length, MAX_BUCKETS],
    ['places for rules', map.rules.length, MAX_RULES],
  ] as const;
  for (const [what, count, most] of limits) {
    if (count >= 0 && count <= most) continue;
    problems.add(
      'too-large',
      {},
      `the map has ${count} ${what}; at most ${most} are mapped from`,
      'give devices, buckets and rules small ids: the tables are as long as the greatest id',
    );
  }
}

function checkBucket(bucket: CrushBucket, problems: ProblemList): void {
  const place = { bucket: bucket.id };
  if (!(bucket.type >= 1 && bucket.type <= 0xffff)) {
    problems.add(
      'bucket-type',
      place,
      `type ${bucket.type} is not one a bucket can have (0 is for devices)`,
      'give the bucket a type from 1 to 65535, such as 1 for a host',
    );
  }
  if (bucket.hash !== HASH_RJENKINS1) {
    problems.add(
      'unknown-hash',
      place,
      `hash function ${bucket.hash} is unknown`,
      "write 'hash 0' in the text form",
    );
  }
  if (!ALGORITHMS.has(bucket.alg)) {
    problems.add(
      'unknown-algorithm',
      place,
      `bucket algorithm ${bucket.alg as number} is unknown`,
      "write 'alg straw2' in the text form",
    );
    return;
  }
  const fault = arrayFault(bucket);
  if (fault !== undefined) {
    problems.add('bucket-arrays', place, fault, 'compile the map anew from its text form');
  }
}

/** What of a bucket's arrays does not fit its items. */
function arrayFault(bucket: CrushBucket): string | undefined {
  const size = bucket.items.length;
  const wrong = (what: string, array: ArrayLike<number> | undefined): string | undefined => {
    return array?.length === size ? undefined : `it has ${array?.length ?? 'no'} ${what} for ${size} items`;
  };
  switch (bucket.alg) {
    case BUCKET_ALGORITHM.list:
      return wrong('item weights', bucket.itemWeights) ?? wrong('weight sums', bucket.sumWeights);
    case BUCKET_ALGORITHM.straw:
      return wrong('item weights', bucket.itemWeights) ?? wrong('straw lengths', bucket.straws);
    case BUCKET_ALGORITHM.straw2:
      return wrong('item weights', bucket.itemWeights);
    case BUCKET_ALGORITHM.tree: {
      const nodes = (bucket.nodeWeights as Uint32Array | undefined)?.length ?? -1;
      const fits = size === 0 ? nodes >= 0 : nodes >= 2 * size && (nodes & (nodes - 1)) === 0;
      return fits ? undefined : `it has a tree of ${Math.max(0, nodes)} nodes for ${size} items`;
    }
    default:
      return undefined;
  }
}

function checkItems(index: MapIndex, bucket: CrushBucket, problems: ProblemList): void {
  const { map } = index;
  const seen = new Set<number>();
  const name = itemText(map, bucket.id);
  for (const [position, item] of bucket.items.entries()) {
    const place = { bucket: bucket.id, item };
    if (seen.has(item)) {
      problems.add(
        'duplicate-item',
        place,
        'the bucket holds this item twice, so that it is drawn as often as both weights say',
        `delete one of its lines in the text form; commands change only the first`,
      );
      continue;
    }
    seen.add(item);
    if (item >= map.maxDevices) {
      problems.add(
        'device-beyond-max',
        place,
        `the map's max_devices is ${map.maxDevices}, so this device is never chosen and draws of it fail`,
        "compile the map anew from its text form ('crushtool -d', then '-c'), which sets max_devices",
      );
    }
    if (item >= 0) continue;
    const child = index.bucket(item);
    if (child === undefined) {
      problems.add(
        'dangling-item',
        place,
        'there is no such bucket in the map',
        `define it, or delete its line from ${name} in the text form`,
      );
    } else if (child.type >= bucket.type && index.child(bucket, position) !== undefined) {
      problems.add(
        'type-order',
        place,
        `it is of type ${typeText(index, child.type)}, which is not below ${typeText(index, bucket.type)}`,
        `move it to a bucket of a higher type: 'ceph osd crush move ${itemText(map, item)} TYPE=NAME'`,
      );
    }
  }
}

function typeText({ map }: MapIndex, type: number): string {
  return map.typeNames.get(type) ?? String(type);
}

/** Items that more than one bucket holds, not counting shadow trees, which repeat the devices. */
function checkParents(index: MapIndex, problems: ProblemList): void {
  const { map } = index;
  for (const [item, holders] of index.held) {
    if (holders.length < 2) continue;
    const originals = holders.filter((holder) => !index.isShadow(holder));
    if (originals.length < 2) continue;
    const names = originals.map((holder) => itemText(map, holder));
    problems.add(
      'several-parents',
      { bucket: originals[0] ?? 0, item },
      `it is in ${originals.length} buckets (${someOf(names)}); ` +
        `rules that take one and rules that take the other load it twice`,
      `leave it where it stands in the racks and use device classes to set OSDs apart: ` +
        `'ceph osd crush unlink ${itemText(map, item)} ${names.at(-1)}'`,
    );
  }
}

/** Buckets and devices that no rule comes to. */
function checkPlaces(index: MapIndex, problems: ProblemList): void {
  const { map } = index;
  const reached = reachedItems(index);
  const hasRules = map.rules.some((rule) => rule !== undefined);
  for (const bucket of index.buckets) {
    if (index.isShadow(bucket.id)) continue;
    const place = { bucket: bucket.id };
    const name = itemText(map, bucket.id);
    if (bucket.items.length === 0) {
      problems.add(
        'empty-bucket',
        place,
        'the bucket holds nothing',
        `remove it if nothing is to come: 'ceph osd crush rm ${name}'`,
      );
      continue;
    }
    if (!hasRules || reached.has(bucket.id) || index.holders(bucket.id).length > 0) continue;
    const devices = index.liveDevices(bucket.id);
    const lost =
      devices === 0 ? 'no data comes to it' : `no data comes to the ${counted(devices, 'OSD')} in it`;
    const isRoot = bucket.type === highestType(index);
    problems.add(
      isRoot ? 'unused-root' : 'orphan-bucket',
      place,
      `it is in no bucket and no rule takes it, so ${lost}`,
      isRoot
        ? `make a rule that takes it, or remove it: 'ceph osd crush rm ${name}'`
        : `move it below a root: 'ceph osd crush move ${name} root=NAME'`,
    );
  }
  for (const [device, name] of map.itemNames) {
    // Ids between devices are at times named so, to keep their place.
    if (device < 0 || index.holders(device).length > 0 || name === `device${device}`) continue;
    problems.add(
      'stray-device',
      { item: device },
      'the device is in no bucket, so no data comes to it',
      `place it: 'ceph osd crush add ${name} WEIGHT host=NAME', or forget it: 'ceph osd crush rm ${name}'`,
    );
  }
}

/** Buckets that rules take, with those that stand for the same originals and all below. */
function reachedItems(index: MapIndex): ReadonlySet<number> {
  const reached = new Set<number>();
  for (const rule of index.map.rules) {
    for (const { op, arg1 } of rule?.steps ?? []) {
      if (op !== RULE_OP.take || reached.has(arg1)) continue;
      const bucket = index.bucket(arg1);
      for (const each of bucket === undefined ? [] : index.below(bucket)) {
        reached.add(each.id).add(index.originalOf(each.id));
      }
    }
  }
  return reached;
}

function highestType(index: MapIndex): number {
  return index.buckets.reduce((highest, { type }) => Math.max(highest, type), 0);
}
