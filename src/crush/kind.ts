/** Telling maps apart at run time, for callers without types that pass one kind for another. */
import { CrushError } from '../errors.ts';

/** What a value given as a map is; `map file` is what `readMap` returns, which has the map inside. */
export type MapKind = 'CRUSH map' | 'OSDMap' | 'map file' | 'promise' | 'other';

/** Tells what a value is by the fields that only one kind has. */
export function mapKind(value: unknown): MapKind {
  if (typeof value !== 'object' || value === null) return 'other';
  if ('buckets' in value && 'rules' in value) return 'CRUSH map';
  if ('pools' in value && 'crush' in value) return 'OSDMap';
  if ('kind' in value && 'map' in value) return 'map file';
  return 'then' in value ? 'promise' : 'other';
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
  const cure = kind === 'promise' ? 'await it first' : 'pass its CRUSH map';
  throw new CrushError('bad-argument', `${taker} takes a CRUSH map, not this ${what}; ${cure}`);
}
