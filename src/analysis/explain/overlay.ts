/**
 * What an OSDMap lays over the rule's choice for one PG, and why, exception by exception. Follows
 * `OSDMap::_pg_to_up_acting_osds` and the functions it calls (Ceph's src/osd/OSDMap.cc).
 */
import { ITEM_NONE } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { hash32 } from '../../kernel/kernel.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type OsdMap,
  type PgTable,
  type Pool,
  POOL_FLAG,
  POOL_TYPE,
} from '../../osdmap/model.ts';
import type { AffinityTrace, OverlayStep, UpmapPairTrace } from './trace.ts';

/** The sets of one PG, and how they come about. */
export interface OverlayRun {
  readonly steps: readonly OverlayStep[];
  readonly raw: readonly number[];
  readonly rawPrimary: number;
  readonly up: readonly number[];
  readonly upPrimary: number;
  readonly acting: readonly number[];
  readonly actingPrimary: number;
}

const NO_PRIMARY = -1;

/**
 * Lays the OSDMap's exceptions over what the rule chose.
 *
 * @param ps - the PG's placement seed, below pg_num
 * @param x - the rule's input
 */
export function runOverlay(
  map: OsdMap,
  pool: Pool,
  ps: number,
  x: number,
  chosen: readonly number[],
): OverlayRun {
  return new Overlay(map, pool, ps, x).run(chosen);
}

class Overlay {
  readonly #map: OsdMap;
  readonly #pool: Pool;
  readonly #ps: number;
  readonly #x: number;
  /** Replicated pools close the gap that an OSD leaves; erasure pools keep it as a hole. */
  readonly #shifts: boolean;
  readonly #steps: OverlayStep[] = [];

  constructor(map: OsdMap, pool: Pool, ps: number, x: number) {
    this.#map = map;
    this.#pool = pool;
    this.#ps = ps;
    this.#x = x;
    this.#shifts = pool.type === POOL_TYPE.replicated;
  }

  run(chosen: readonly number[]): OverlayRun {
    const raw = this.#without(chosen, OSD_STATE.exists, 'exists');
    const mapped = this.#applyUpmaps(raw);
    const alive = this.#without(mapped, OSD_STATE.exists | OSD_STATE.up, 'down');
    const { set: up, primary: upPrimary } = this.#applyAffinity(alive);
    const { set: acting, primary: actingPrimary } = this.#applyTemps(up, upPrimary);
    return { steps: this.#steps, raw, rawPrimary: firstOf(raw), up, upPrimary, acting, actingPrimary };
  }

  /** Drops, or blanks, the OSDs that are not in a state. */
  #without(set: readonly number[], state: number, kind: 'exists' | 'down'): readonly number[] {
    const { kept, removed } = this.#sift(set, state);
    if (removed.length > 0) this.#steps.push({ kind, removed, set: kept });
    return kept;
  }

  #sift(set: readonly number[], state: number): { kept: number[]; removed: number[] } {
    const kept: number[] = [];
    const removed: number[] = [];
    for (const osd of set) {
      if (this.#hasState(osd, state)) {
        kept.push(osd);
        continue;
      }
      if (osd !== ITEM_NONE) removed.push(osd);
      if (!this.#shifts) kept.push(ITEM_NONE);
    }
    return { kept, removed };
  }

  #applyUpmaps(raw: readonly number[]): readonly number[] {
    let set = raw;
    let isVoid = false;
    const whole = this.#entry(this.#map.pgUpmap);
    if (whole !== undefined) {
      const out = whole.filter((osd) => this.#isOut(osd));
      // An OSD that is out voids not only the set but all that would follow.
      isVoid = out.length > 0;
      if (!isVoid) set = whole;
      this.#steps.push({ kind: 'upmap', osds: whole, applied: !isVoid, out, set });
    }
    set = this.#applyUpmapItems(set, isVoid);
    return this.#applyUpmapPrimary(set, isVoid);
  }

  #applyUpmapItems(before: readonly number[], isVoid: boolean): readonly number[] {
    const pairs = this.#entry(this.#map.pgUpmapItems);
    if (pairs === undefined) return before;
    const set = [...before];
    const traced = pairs.map(([from, to]): UpmapPairTrace => {
      if (isVoid) return { from, to, result: 'upmap-ignored' };
      if (set.includes(to)) return { from, to, result: 'target-in-set' };
      if (this.#isOut(to)) return { from, to, result: 'target-out' };
      const at = set.indexOf(from);
      if (at < 0) return { from, to, result: 'source-not-in-set' };
      set[at] = to;
      return { from, to, result: 'applied' };
    });
    this.#steps.push({ kind: 'upmap-items', pairs: traced, set: [...set] });
    return set;
  }

  #applyUpmapPrimary(before: readonly number[], isVoid: boolean): readonly number[] {
    const osd = this.#entry(this.#map.pgUpmapPrimaries);
    if (osd === undefined) return before;
    const done = (
      result: Extract<OverlayStep, { kind: 'upmap-primary' }>['result'],
      set: readonly number[] = before,
    ): readonly number[] => {
      this.#steps.push({ kind: 'upmap-primary', osd, result, set });
      return set;
    };
    if (isVoid) return done('upmap-ignored');
    if (osd === ITEM_NONE || osd < 0 || osd >= this.#map.maxOsd) return done('no-such-osd');
    const at = before.indexOf(osd, 1);
    if (at < 0) return done(before[0] === osd ? 'first-already' : 'not-in-set');
    if (this.#isOut(osd)) return done('out');
    const set = [...before];
    set[at] = before[0] ?? ITEM_NONE;
    set[0] = osd;
    return done('applied', set);
  }

  /** Asks one OSD after the other whether it is primary; in replicated pools that one moves to the front. */
  #applyAffinity(set: readonly number[]): { set: readonly number[]; primary: number } {
    const affinityOf = (osd: number): number =>
      this.#map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
    const usual = firstOf(set);
    if (set.every((osd) => osd === ITEM_NONE || affinityOf(osd) === DEFAULT_PRIMARY_AFFINITY)) {
      return { set, primary: usual };
    }
    const asked: AffinityTrace[] = [];
    for (const osd of set) {
      if (osd === ITEM_NONE) continue;
      const affinity = affinityOf(osd);
      const hash = affinity >= DEFAULT_PRIMARY_AFFINITY ? undefined : hash32(this.#x, osd) >>> 16;
      const accepts = hash === undefined || hash < affinity;
      asked.push({ osd, affinity, ...(hash === undefined ? {} : { hash }), accepts });
      if (accepts) break;
    }
    const willing = asked.find(({ accepts }) => accepts);
    const primary = willing?.osd ?? usual;
    const moved = [...set];
    if (this.#shifts) {
      moved.splice(moved.indexOf(primary), 1);
      moved.unshift(primary);
    }
    this.#steps.push({ kind: 'affinity', asked, byDefault: willing === undefined, primary, set: moved });
    return { set: moved, primary };
  }

  #applyTemps(up: readonly number[], upPrimary: number): { set: readonly number[]; primary: number } {
    const stored = this.#entry(this.#map.pgTemp);
    const { kept, removed } = this.#sift(stored ?? [], OSD_STATE.exists | OSD_STATE.up);
    const isApplied = kept.length > 0;
    const set = isApplied ? this.#inShardOrder(kept) : up;
    if (stored !== undefined) {
      const reordered = isApplied && set !== kept;
      this.#steps.push({ kind: 'pg-temp', osds: stored, removed, applied: isApplied, reordered, set });
    }
    const named = this.#entry(this.#map.primaryTemp);
    const primary = named ?? firstOf(kept);
    if (named !== undefined) {
      this.#steps.push({ kind: 'primary-temp', osd: named, applied: isApplied || named !== NO_PRIMARY });
    }
    return { set, primary: !isApplied && primary === NO_PRIMARY ? upPrimary : primary };
  }

  /** EC-optimised pools store a temp with the shards first that can be primary; this puts them in their places. */
  #inShardOrder(temp: readonly number[]): readonly number[] {
    const { flags, size, details, id } = this.#pool;
    if ((flags & POOL_FLAG.ecOptimizations) === 0n) return temp;
    if (temp.length !== size) {
      throw new CrushError(
        'invalid-map',
        `pg_temp has ${temp.length} OSDs, an EC-optimised pool's needs ${size}`,
        { path: `pg ${id}.${this.#ps.toString(16)}` },
      );
    }
    const isNonprimary = (shard: number): boolean =>
      ((details.nonprimaryShards >> BigInt(shard)) & 1n) === 1n;
    const shards = [...temp.keys()];
    const stored = [...shards.filter((shard) => !isNonprimary(shard)), ...shards.filter(isNonprimary)];
    const ordered = new Array<number>(size).fill(ITEM_NONE);
    for (const [i, shard] of stored.entries()) ordered[shard] = temp[i] ?? ITEM_NONE;
    return ordered;
  }

  #entry<T>(table: PgTable<T>): T | undefined {
    return table.get(this.#pool.id)?.get(this.#ps);
  }

  #hasState(osd: number, bits: number): boolean {
    return osd >= 0 && osd < this.#map.maxOsd && ((this.#map.osdState[osd] ?? 0) & bits) === bits;
  }

  /** An OSD of the map that is out; one beyond max_osd does not count. */
  #isOut(osd: number): boolean {
    return osd !== ITEM_NONE && osd >= 0 && osd < this.#map.maxOsd && this.#map.osdWeight[osd] === 0;
  }
}

/** The first OSD that is not a hole, or -1. */
function firstOf(set: readonly number[]): number {
  return set.find((osd) => osd !== ITEM_NONE) ?? NO_PRIMARY;
}
