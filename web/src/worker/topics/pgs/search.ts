/**
 * Searches for PGs. A search is words, all of which must hold of a PG:
 *
 * - `4.1f`: PGs whose id begins so; `4.`: those of pool 4
 * - `osd.3`, `host1`, `default~ssd`: PGs with such an OSD, or one below the bucket, up or acting; `osd.3,osd.5`: one of them;
 *   the beginning of names stands for all buckets that begin so
 * - `class:ssd`: with an OSD of a device class
 * - `up:`, `acting:`, `primary:` (who serves), `up-primary:` before these: only there
 * - `is:remapped` and the other choices of flags.ts
 *
 * Names with blanks or commas are put in double quotes.
 */
import { findBucket, findItem, isShadow, itemClassName } from '../../../../../src/crush/names.ts';
import type { CrushMap } from '../../../../../src/crush/model.ts';
import type { OsdMap } from '../../../../../src/osdmap/model.ts';
import { findChoice, PG_CHOICES } from './flags.ts';

/** Where an OSD is looked for. */
export type SearchPlace = 'any' | 'up' | 'acting' | 'primary' | 'up-primary';

/** What must hold of a PG. */
export type PgTest =
  | { readonly kind: 'id'; readonly pool: number; readonly ranges: readonly (readonly [number, number])[] }
  /** An OSD of those with a 1. */
  | { readonly kind: 'osds'; readonly place: SearchPlace; readonly mask: Uint8Array }
  | { readonly kind: 'flags'; readonly flags: number };

/** A search made ready. */
export interface PgSearch {
  readonly tests: readonly PgTest[];
  /** Words that mean nothing, and why; the search then finds nothing. */
  readonly problems: readonly string[];
}

const PG_ID = /^(\d{1,15})\.([0-9a-f]{0,8})(s\d{1,3})?$/i;
const PLACES: readonly SearchPlace[] = ['up', 'acting', 'primary', 'up-primary'];
/** A word: pieces of plain characters and of quoted text. */
const WORD = /(?:[^\s"]|"[^"]*"?)+/g;
/** Names of a word: between commas that are not quoted. */
const NAME = /(?:[^,"]|"[^"]*"?)+/g;

/** Makes a search ready for a map. */
export function parseSearch(map: OsdMap, text: string): PgSearch {
  const tests: PgTest[] = [];
  const problems: string[] = [];
  for (const word of text.match(WORD) ?? []) {
    const parsed = parseWord(map, word);
    if (typeof parsed === 'string') problems.push(parsed);
    else tests.push(parsed);
  }
  return { tests, problems };
}

function parseWord(map: OsdMap, word: string): PgTest | string {
  const [, head, tail] = /^(is|class|up|acting|primary|up-primary):(.*)$/is.exec(word) ?? [];
  const prefix = head?.toLowerCase();
  if (prefix === 'is') {
    const choice = findChoice((tail ?? '').toLowerCase());
    if (choice !== undefined) return { kind: 'flags', flags: choice.flags };
    return `is: takes ${PG_CHOICES.map(({ id }) => id).join(', ')}`;
  }
  if (prefix === undefined || tail === undefined) {
    const [, pool, digits, shard] = PG_ID.exec(word) ?? [];
    if (pool !== undefined && digits !== undefined) return idTest(map, Number(pool), digits, shard);
    return osdTest(map, 'any', word);
  }
  if (tail === '')
    return `${prefix}: takes a name, such as ${prefix}:${prefix === 'class' ? 'ssd' : 'osd.3'}`;
  if (prefix === 'class') return classTest(map, tail);
  return osdTest(map, PLACES.find((place) => place === prefix) ?? 'any', tail);
}

/** Placement seeds whose hexadecimal form begins with the digits; with a shard, that seed alone. */
function idTest(map: OsdMap, id: number, digits: string, shard: string | undefined): PgTest | string {
  const pool = map.pools.get(id);
  if (pool === undefined) return `there is no pool ${id}`;
  if (digits === '') return { kind: 'id', pool: id, ranges: [[0, pool.pgNum]] };
  const first = parseInt(digits, 16);
  const ranges: [number, number][] = [[first, first + 1]];
  if (shard === undefined && !digits.startsWith('0')) {
    for (let scale = 16; first * scale < pool.pgNum; scale *= 16) {
      ranges.push([first * scale, (first + 1) * scale]);
    }
  }
  return { kind: 'id', pool: id, ranges };
}

function osdTest(map: OsdMap, place: SearchPlace, names: string): PgTest | string {
  const mask = emptyMask(map);
  for (const quoted of names.match(NAME) ?? []) {
    const name = quoted.replaceAll('"', '');
    if (name === '') continue;
    const items = itemsNamed(map, name);
    if (items.length === 0) return `this map has no OSD or bucket ${name}`;
    markDevices(map.crush, items, mask);
  }
  return { kind: 'osds', place, mask };
}

function classTest(map: OsdMap, name: string): PgTest | string {
  const wanted = name.replaceAll('"', '');
  if (![...map.crush.classNames.values()].includes(wanted)) {
    const known = [...map.crush.classNames.values()].join(', ');
    return `there is no device class ${wanted}; the map has ${known === '' ? 'none' : known}`;
  }
  const mask = emptyMask(map);
  for (const id of map.crush.itemClasses.keys()) {
    if (id >= 0 && id < mask.length && itemClassName(map.crush, id) === wanted) mask[id] = 1;
  }
  return { kind: 'osds', place: 'any', mask };
}

/** An item of exactly that name, an OSD by number, or the buckets whose names begin so. */
function itemsNamed(map: OsdMap, name: string): number[] {
  const exact = findItem(map.crush, name);
  if (exact !== undefined) return [exact];
  const [, digits] = /^(?:osd\.)?(\d{1,9})$/.exec(name) ?? [];
  if (digits !== undefined) {
    const osd = Number(digits);
    return osd < Math.max(map.maxOsd, map.crush.maxDevices) ? [osd] : [];
  }
  const begun: number[] = [];
  for (const [id, each] of map.crush.itemNames) {
    if (id < 0 && each.startsWith(name) && !isShadow(map.crush, id)) begun.push(id);
  }
  return begun;
}

function emptyMask(map: OsdMap): Uint8Array {
  return new Uint8Array(Math.max(map.maxOsd, map.crush.maxDevices));
}

function markDevices(crush: CrushMap, items: readonly number[], mask: Uint8Array): void {
  const seen = new Set(items);
  const queue = [...items];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (next >= 0) {
      if (next < mask.length) mask[next] = 1;
      continue;
    }
    for (const item of findBucket(crush, next)?.items ?? []) {
      if (seen.has(item)) continue;
      seen.add(item);
      queue.push(item);
    }
  }
}
