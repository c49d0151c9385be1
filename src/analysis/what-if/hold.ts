/** Holds one PG where it is under another rule or hierarchy, as far as that allows, by an upmap. */
import { ITEM_NONE } from '../../crush/model.ts';
import type { OsdMap } from '../../osdmap/model.ts';
import type { RuleRoom } from '../../osdmap/rule-room.ts';
import { upmappedSet } from '../../osdmap/upmap-cleanup.ts';

/** An upmap: pairs of OSDs, or a whole set where pairs cannot say it. */
export interface HoldUpmap {
  /** Pairs [from, to] of `pg-upmap-items`. */
  readonly pairs: readonly (readonly [number, number])[] | undefined;
  /** The whole set of `pg-upmap`. */
  readonly whole: readonly number[] | undefined;
}

/** What a PG is held by. */
export interface HoldRequest {
  /** Its OSDs before the change. */
  readonly old: readonly number[];
  /** What the rule gives after it. */
  readonly raw: readonly number[];
  /** Where it is to go in the end. */
  readonly target: readonly number[];
  readonly ordered: boolean;
  readonly room: RuleRoom;
}

/**
 * The set that keeps most of a PG's OSDs under the rule; what cannot stay goes where the PG is to go in the end, if
 * it can. Of an erasure pool each OSD keeps its position, of a replicated pool OSDs stand where the rule has them.
 *
 * @returns undefined where no set of as many OSDs is found, or the monitor would not let it be
 */
export function heldSet(request: HoldRequest): number[] | undefined {
  const { raw, ordered, room } = request;
  const { size } = room.pool;
  const whole = setOfLength(request, size);
  // Where the rule finds too few OSDs for a replicated pool, as many can be held.
  return whole === undefined && !ordered && raw.length < size ? setOfLength(request, raw.length) : whole;
}

function setOfLength({ old, raw, target, ordered, room }: HoldRequest, size: number): number[] | undefined {
  const former = old.slice(0, ordered ? size : old.length);
  // Of OSDs that exclude each other, that one goes whose place in the target is not taken by the others.
  const kept = room.keptPositions(former, ordered, (position) => {
    const next = target[position];
    return former[position] === next || (next !== undefined && former.includes(next));
  });
  const set = new Array<number>(size).fill(ITEM_NONE);
  if (ordered) for (const position of kept) set[position] = former[position] ?? ITEM_NONE;
  else
    placeFreely(
      set,
      kept.slice(0, size).map((position) => former[position] ?? ITEM_NONE),
      raw,
    );
  const candidates = [...target, ...raw];
  const fill = (position: number, osds: readonly number[]): void => {
    for (const osd of osds) {
      if (osd === ITEM_NONE || set.includes(osd)) continue;
      set[position] = osd;
      if (room.allows(osd) && room.fits(set, ordered)) return;
      set[position] = ITEM_NONE;
    }
  };
  const empty = (): number[] => [...set.keys()].filter((position) => set[position] === ITEM_NONE);
  for (const position of empty()) fill(position, [target[position] ?? ITEM_NONE]);
  for (const position of empty()) fill(position, candidates);
  return !set.includes(ITEM_NONE) && room.passesMonitor(set) ? set : undefined;
}

/**
 * The upmap that makes a set of what the rule gives.
 *
 * @returns undefined where the rule gives it by itself
 */
export function upmapTo(map: OsdMap, raw: readonly number[], set: readonly number[]): HoldUpmap | undefined {
  // Pairs replace what the rule gives; where it gives too little a whole set is needed.
  if (raw.length !== set.length || raw.includes(ITEM_NONE)) return { pairs: undefined, whole: [...set] };
  const row = [...raw];
  const pairs: (readonly [number, number])[] = [];
  const open = new Set([...row.keys()].filter((i) => row[i] !== set[i]));
  if (open.size === 0) return undefined;
  // A pair whose target still stands in the set would be passed over: those come first that make room for others.
  for (let next = free(); next !== undefined; next = free()) {
    pairs.push([row[next] ?? ITEM_NONE, set[next] ?? ITEM_NONE]);
    row[next] = set[next] ?? ITEM_NONE;
    open.delete(next);
  }
  const isSaid = open.size === 0 && String(upmappedSet(map, raw, undefined, pairs)) === String(set);
  return isSaid ? { pairs, whole: undefined } : { pairs: undefined, whole: [...set] };

  function free(): number | undefined {
    return [...open].find((i) => !row.includes(set[i] ?? ITEM_NONE));
  }
}

/** OSDs that the rule gives too stand where it has them, the others where room is left, in their order. */
function placeFreely(set: number[], kept: readonly number[], raw: readonly number[]): void {
  for (const [position, osd] of raw.entries()) {
    if (position < set.length && kept.includes(osd)) set[position] = osd;
  }
  for (const osd of kept) {
    if (set.includes(osd)) continue;
    const position = set.indexOf(ITEM_NONE);
    if (position >= 0) set[position] = osd;
  }
}
