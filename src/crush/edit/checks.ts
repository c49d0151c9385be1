/** What the editor asks of the arguments it is given, beyond what Ceph's tools ask. */
import { CrushError } from '../../errors.ts';
import { bucketItemWeights, tooHeavy } from '../bucket.ts';
import type { CrushDraft } from '../draft.ts';
import { BUCKET_ALGORITHM, type CrushMap, type CrushTunables } from '../model.ts';
import { profileTunables, TUNABLES_PROFILES, type TunablesProfile } from '../tunables.ts';
import type { CrushLocation } from './arguments.ts';
import { noSuchItem } from './classes.ts';
import { immediateParent, subtreeContains } from './lookup.ts';

/** The lowest device id that is free. */
export function freeDevice(draft: CrushDraft): number {
  let id = 0;
  while (draft.itemNames.has(id) || draft.holdersOf(id).length > 0) id++;
  return id;
}

/** A device or bucket, but no shadow, by name or id. */
export function itemOf(draft: CrushDraft, item: string | number): { id: number; name: string } {
  const id = typeof item === 'number' ? item : draft.itemId(item);
  const name = id === undefined ? undefined : draft.itemNames.get(id);
  if (id === undefined || name === undefined) throw noSuchItem(String(item));
  if (draft.isShadow(id)) {
    throw new CrushError(
      'refused',
      `'${name}' is the shadow of a bucket; edit the bucket itself`,
      {},
      'EINVAL',
    );
  }
  return { id, name };
}

/** Number of a type of bucket. */
export function typeOf(draft: CrushDraft, name: string): number {
  const type = draft.typeId(name);
  if (type !== undefined && type > 0) return type;
  const names = [...draft.typeNames].flatMap(([number, each]) => (number > 0 ? [`'${each}'`] : []));
  throw misuse(`there is no type of bucket '${name}'; the map has ${names.join(', ') || 'none'}`);
}

/** A location whose types the map has all; Ceph's tools pass over others. */
export function locationOf(draft: CrushDraft, location: CrushLocation): ReadonlyMap<string, string> {
  const entries = Object.entries(demandObject(location, 'a location'));
  if (entries.length === 0) throw misuse("a location names at least one bucket, such as { root: 'default' }");
  for (const [type] of entries) typeOf(draft, type);
  return new Map(entries);
}

/**
 * Refuses an item that is not below all of a location, or in a bucket of a type no higher than its own. Ceph's tools
 * take both: they look no further than the lowest bucket of a location that exists.
 */
export function checkPlace(draft: CrushDraft, item: number, location: ReadonlyMap<string, string>): void {
  const bucket = draft.bucket(item);
  for (const type of location.keys()) {
    if (bucket === undefined || typeOf(draft, type) > bucket.type) continue;
    const own = draft.typeNames.get(bucket.type) ?? bucket.type;
    throw new CrushError(
      'refused',
      `a ${own} cannot be in a ${type}; choose a bucket of a higher type`,
      {},
      'EINVAL',
    );
  }
  for (const [type, name] of location) {
    if (holds(draft, name, item)) continue;
    throw new CrushError(
      'refused',
      `${placeText(draft, item, location)}, not in ${type} '${name}'; move it first, or leave the ${type} out`,
      {},
      'EINVAL',
    );
  }
}

function holds(draft: CrushDraft, bucket: string, item: number): boolean {
  const id = draft.itemId(bucket);
  return id !== undefined && subtreeContains(draft, id, item);
}

/** Where the highest bucket of a location that holds an item stands. */
function placeText(draft: CrushDraft, item: number, location: ReadonlyMap<string, string>): string {
  const holders = [...location].filter(([, name]) => holds(draft, name, item));
  holders.sort(([a], [b]) => typeOf(draft, b) - typeOf(draft, a));
  const highest = draft.itemId(holders[0]?.[1] ?? '') ?? item;
  const above: string[] = [];
  for (let id = immediateParent(draft, highest); id !== undefined; id = immediateParent(draft, id)) {
    above.push(titleOf(draft, id));
  }
  const title = titleOf(draft, highest);
  return above.length === 0
    ? `${title} is below no other bucket`
    : `${title} stands in ${above.join(' of ')}`;
}

function titleOf(draft: CrushDraft, id: number): string {
  const type = draft.typeNames.get(draft.bucket(id)?.type ?? 0) ?? 'item';
  return `${type} '${draft.itemNames.get(id) ?? id}'`;
}

/** A weight in units that fits into the map. */
export function checkedWeight(weight: number): number {
  if (typeof weight === 'number' && weight >= 0 && weight < 0x8000) return weight;
  throw new CrushError(
    'bad-argument',
    `a weight of ${String(weight)} is out of range; give one of 0 to 32767.99`,
    {},
    'EOVERFLOW',
  );
}

/** Refuses buckets, of those that changed, whose items weigh too much together; Ceph's tools let weights wrap. */
export function checkTotals(draft: CrushDraft, before: CrushMap): void {
  for (const [index, bucket] of draft.buckets.entries()) {
    if (bucket === undefined || bucket === before.buckets[index]) continue;
    const total = bucketItemWeights(bucket).reduce((sum, weight) => sum + weight, 0);
    if (total > 0xffff_ffff) throw tooHeavy(bucket.id);
  }
}

/** Refuses what is no number of things to choose, if it is given. */
export function checkCount(value: number | undefined, name: string): void {
  if (value === undefined || (Number.isInteger(value) && value > 0 && value <= 0x7fff_ffff)) return;
  throw misuse(`${name} cannot be ${String(value)}; give a whole number from 1 on`);
}

/** What a profile sets. */
export function profileOf(name: TunablesProfile): Partial<CrushTunables> {
  if (TUNABLES_PROFILES.includes(name)) return profileTunables(name);
  throw misuse(`there is no profile '${name}' of tunables; use one of ${TUNABLES_PROFILES.join(', ')}`);
}

/** Tunables that Ceph keeps in 8 bits. */
const BYTES: readonly string[] = [
  'chooseleafVaryR',
  'chooseleafStable',
  'strawCalcVersion',
] satisfies (keyof CrushTunables)[];

/** Refuses a tunable that does not exist, or a value that does not fit. */
export function checkTunable(draft: CrushDraft, name: string, value: unknown): void {
  if (!Object.hasOwn(draft.tunables, name)) {
    throw misuse(`there is no tunable '${name}'; use one of ${Object.keys(draft.tunables).join(', ')}`);
  }
  const most = BYTES.includes(name) ? 0xff : 0x7fff_ffff;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return;
  throw misuse(`the tunable ${name} cannot be ${String(value)}; give a whole number of 0 to ${most}`);
}

/** Refuses an argument that is no object, such as one that was left out. */
export function demandObject<T extends object>(value: T, what: string): T {
  const given: unknown = value;
  if (typeof given === 'object' && given !== null) return value;
  throw misuse(`${what} cannot be ${String(given)}; give an object`);
}

const MODES = { replicated: 'firstn', erasure: 'indep' } as const;

/** How a rule of a kind chooses. */
export function modeOf(kind: keyof typeof MODES): 'firstn' | 'indep' {
  if (Object.hasOwn(MODES, kind)) return MODES[kind];
  throw misuse(`the kind of a rule cannot be '${kind}'; use 'replicated' or 'erasure'`);
}

/** Number of a bucket algorithm, by its name. */
export function algorithmOf(name: keyof typeof BUCKET_ALGORITHM): number {
  if (Object.hasOwn(BUCKET_ALGORITHM, name)) return BUCKET_ALGORITHM[name];
  throw misuse(
    `there is no bucket algorithm '${name}'; use one of ${Object.keys(BUCKET_ALGORITHM).join(', ')}`,
  );
}

/** The error for an argument that cannot be. */
export function misuse(text: string): CrushError {
  return new CrushError('bad-argument', text, {}, 'EINVAL');
}
