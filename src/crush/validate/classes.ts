/** Checks of device classes and of the shadow trees that hold one class each. */
import type { CrushBucket } from '../model.ts';
import { weightAt, type MapIndex } from './index-of-map.ts';
import { counted, itemText, weightText, type ProblemList } from './problems.ts';

const REBUILD =
  "compile the map anew from its text form ('crushtool -d', then '-c'), or 'crushtool --rebuild-class-roots'; " +
  'monitors do so with every change of a class';

/** Checks classes of devices, and each shadow bucket against its original. */
export function checkClasses(index: MapIndex, problems: ProblemList): void {
  checkDevices(index, problems);
  for (const [original, byClass] of index.map.classBuckets) {
    for (const [classId, shadow] of byClass) checkShadow(index, original, classId, shadow, problems);
  }
  checkMissing(index, problems);
  for (const bucket of index.buckets) {
    if (!index.isShadow(bucket.id) || index.shadowOf.has(bucket.id)) continue;
    problems.add(
      'shadow-without-original',
      { bucket: bucket.id },
      'by its name it is the shadow of a bucket for one class, but the table of classes does not know it',
      REBUILD,
    );
  }
}

function checkDevices(index: MapIndex, problems: ProblemList): void {
  const { itemClasses, classNames } = index.map;
  for (const [item, classId] of itemClasses) {
    if (classNames.has(classId)) continue;
    problems.add(
      'unknown-class',
      { item, class: classId },
      'the class of this item has no name',
      `set the class anew: 'ceph osd crush rm-device-class ${itemText(index.map, item)}', then 'set-device-class'`,
    );
  }
  if (itemClasses.size === 0) return;
  let placed = 0;
  const bare: number[] = [];
  for (const [item] of index.held) {
    if (item < 0) continue;
    placed++;
    if (!itemClasses.has(item)) bare.push(item);
  }
  const [first] = bare;
  if (first === undefined || bare.length === placed) return;
  problems.add(
    'device-without-class',
    { item: first },
    `${counted(bare.length, 'device')} of ${placed} have no class, so rules that take a class pass over them`,
    `'ceph osd crush set-device-class CLASS ${itemText(index.map, first)} ...'`,
  );
}

function checkShadow(
  index: MapIndex,
  originalId: number,
  classId: number,
  shadowId: number,
  problems: ProblemList,
): void {
  const { map } = index;
  const place = { bucket: shadowId, class: classId };
  const original = index.bucket(originalId);
  const shadow = index.bucket(shadowId);
  if (original === undefined || shadow === undefined) {
    const missing = original === undefined ? originalId : shadowId;
    problems.add(
      'shadow-dangling',
      place,
      `the table of classes says that it is the shadow of bucket ${originalId}, but there is no bucket ${missing}`,
      REBUILD,
    );
    return;
  }
  const wantedName = `${map.itemNames.get(originalId) ?? ''}~${map.classNames.get(classId) ?? ''}`;
  const name = map.itemNames.get(shadowId);
  if (name !== undefined && name !== wantedName) {
    problems.add('shadow-name', place, `its name is not ${JSON.stringify(wantedName)}`, REBUILD);
  }
  const of = `of ${itemText(map, originalId)}`;
  if (shadow.type !== original.type || shadow.alg !== original.alg || shadow.hash !== original.hash) {
    problems.add('shadow-form', place, `its type, algorithm or hash is not that ${of}`, REBUILD);
  }
  const wanted = shadowItems(index, original, classId);
  const have = Array.from(shadow.items, (item, i) => ({ item, weight: weightAt(shadow, i) }));
  const differing = wanted.findIndex(({ item }, i) => have[i]?.item !== item);
  if (differing >= 0 || have.length !== wanted.length) {
    const held = new Set(shadow.items);
    const meant = new Set(wanted.map(({ item }) => item));
    const lacks = wanted.filter(({ item }) => !held.has(item)).length;
    const spare = have.filter(({ item }) => !meant.has(item)).length;
    const what =
      lacks + spare === 0 ? 'in another order' : `${lacks} missing and ${spare} that should not be there`;
    problems.add('shadow-stale', place, `its items are not those ${of} of the class: ${what}`, REBUILD);
    return;
  }
  const at = wanted.findIndex(({ weight }, i) => have[i]?.weight !== weight);
  const wrong = wanted[at];
  if (wrong === undefined) return;
  problems.add(
    'shadow-weights',
    { ...place, item: wrong.item },
    `it weighs ${weightText(have[at]?.weight ?? 0)} here and ${weightText(wrong.weight)} in what this is the shadow ${of}`,
    REBUILD,
  );
}

/** What the shadow of a bucket holds: devices of the class, and the shadows of the buckets in it. */
function shadowItems(
  index: MapIndex,
  original: CrushBucket,
  classId: number,
): { readonly item: number; readonly weight: number }[] {
  const { itemClasses, classBuckets } = index.map;
  const items: { item: number; weight: number }[] = [];
  for (const [position, item] of original.items.entries()) {
    if (item >= 0) {
      if (itemClasses.get(item) === classId) items.push({ item, weight: weightAt(original, position) });
      continue;
    }
    const shadow = classBuckets.get(item)?.get(classId);
    if (shadow !== undefined) items.push({ item: shadow, weight: index.bucket(shadow)?.weight ?? 0 });
  }
  return items;
}

/** Buckets above devices of a class that have no shadow for it, though the map has shadow trees. */
function checkMissing(index: MapIndex, problems: ProblemList): void {
  const { itemClasses, classNames, classBuckets } = index.map;
  if (itemClasses.size === 0) return;
  const classesBelow = new Map<number, Set<number>>();
  for (const bucket of index.upward) {
    if (index.isShadow(bucket.id)) continue;
    const classes = new Set<number>();
    for (const [position, item] of bucket.items.entries()) {
      const classId = item >= 0 ? itemClasses.get(item) : undefined;
      if (classId !== undefined) classes.add(classId);
      const child = index.child(bucket, position);
      for (const each of (child && classesBelow.get(child.id)) ?? []) classes.add(each);
    }
    classesBelow.set(bucket.id, classes);
    for (const classId of classes) {
      if (!classNames.has(classId) || classBuckets.get(bucket.id)?.has(classId) === true) continue;
      problems.add(
        'shadow-missing',
        { bucket: bucket.id, class: classId },
        `it holds OSDs of class ${classNames.get(classId)}, but has no shadow bucket for it`,
        REBUILD,
      );
    }
  }
}
