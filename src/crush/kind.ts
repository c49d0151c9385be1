/** Telling maps apart at run time, for callers without types that pass one kind for another. */

/** What a value given as a map is; `map file` is what `readMap` returns, which has the map inside. */
export type MapKind = 'CRUSH map' | 'OSDMap' | 'map file' | 'other';

/** Tells what a value is by the fields that only one kind has. */
export function mapKind(value: unknown): MapKind {
  if (typeof value !== 'object' || value === null) return 'other';
  if ('buckets' in value && 'rules' in value) return 'CRUSH map';
  if ('pools' in value && 'crush' in value) return 'OSDMap';
  return 'kind' in value && 'map' in value ? 'map file' : 'other';
}
