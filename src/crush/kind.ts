/** Telling maps apart at run time, for callers without types that pass one kind for another. */
import { CrushError } from '../errors.ts';

/** What a value given as a map is; `map file` is what `readMap` returns, which has the map inside. */
export type MapKind = 'CRUSH map' | 'OSDMap' | 'map file' | 'other';

/** Tells what a value is by the fields that only one kind has. */
export function mapKind(value: unknown): MapKind {
  if (typeof value !== 'object' || value === null) return 'other';
  if ('buckets' in value && 'rules' in value) return 'CRUSH map';
  if ('pools' in value && 'crush' in value) return 'OSDMap';
  return 'kind' in value && 'map' in value ? 'map file' : 'other';
}

/**
 * Refuses what is no CRUSH map.
 *
 * @param taker - What wants one, such as `an editor`.
 * @throws CrushError `bad-argument`.
 */
export function demandCrushMap(value: unknown, taker: string): void {
  const kind = mapKind(value);
  if (kind === 'CRUSH map') return;
  const what = kind === 'other' ? 'value' : kind;
  throw new CrushError('bad-argument', `${taker} takes a CRUSH map, not this ${what}; pass its CRUSH map`);
}
