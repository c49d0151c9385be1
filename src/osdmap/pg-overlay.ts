/**
 * What an OSDMap lays over the rule's choice for one pool, PG by PG: OSDs that do not exist, upmaps, down OSDs,
 * primary affinity, temps.
 */
import { ITEM_NONE } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { type ColumnMemory, FRESH_MEMORY } from '../kernel/column-memory.ts';
import { hash32 } from '../kernel/kernel.ts';
import type { MapColumns } from '../kernel/crush-mapper.ts';
import {
  DEFAULT_PRIMARY_AFFINITY,
  OSD_STATE,
  type OsdMap,
  type Pool,
  POOL_FLAG,
  POOL_TYPE,
} from './model.ts';
import { stableMod } from './object-hash.ts';
import type { PgColumns, PgSets } from './pg-mapper.ts';

const EMPTY: ReadonlyMap<number, never> = new Map<number, never>();
const NO_PRIMARY = -1;
/** In place of a primary: something is laid over the row. */
const NOT_PLAIN = -2;

/** What is read of an OSDMap besides its CRUSH map; workers get no more than this. */
export type OverlayMap = Pick<
  OsdMap,
  | 'maxOsd'
  | 'osdState'
  | 'osdWeight'
  | 'osdPrimaryAffinity'
  | 'pgTemp'
  | 'primaryTemp'
  | 'pgUpmap'
  | 'pgUpmapItems'
  | 'pgUpmapPrimaries'
>;

/** The exceptions of one pool, ready to be laid over mappings. */
export class PgOverlay {
  readonly #map: OverlayMap;
  readonly #pool: Pool;
  /** Replicated pools close the gap that an OSD leaves; erasure pools keep it as a hole (`can_shift_osds`). */
  readonly #shifts: boolean;
  readonly #upmap: ReadonlyMap<number, readonly number[]>;
  readonly #upmapItems: ReadonlyMap<number, readonly (readonly [number, number])[]>;
  readonly #upmapPrimaries: ReadonlyMap<number, number>;
  readonly #pgTemp: ReadonlyMap<number, readonly number[]>;
  readonly #primaryTemp: ReadonlyMap<number, number>;
  readonly #hasUpmaps: boolean;
  readonly #hasTemps: boolean;
  /** Placement seeds of the PGs that an upmap or a temp names. */
  readonly #exceptions: ReadonlySet<number>;
  /** 1 for each OSD that is placed as the rule says: it exists, is up, and has the default affinity. */
  readonly #plain: Uint8Array;
  /** Whether any OSD has an affinity that is not the default. */
  readonly #hasAffinity: boolean;
  /** OSDs a set has room for: the pool's size, or the longest upmap or temp. */
  readonly width: number;

  constructor(map: OverlayMap, pool: Pool) {
    this.#map = map;
    this.#pool = pool;
    this.#shifts = pool.type === POOL_TYPE.replicated;
    this.#upmap = map.pgUpmap.get(pool.id) ?? EMPTY;
    this.#upmapItems = map.pgUpmapItems.get(pool.id) ?? EMPTY;
    this.#upmapPrimaries = map.pgUpmapPrimaries.get(pool.id) ?? EMPTY;
    this.#pgTemp = map.pgTemp.get(pool.id) ?? EMPTY;
    this.#primaryTemp = map.primaryTemp.get(pool.id) ?? EMPTY;
    this.#hasUpmaps = this.#upmap.size + this.#upmapItems.size + this.#upmapPrimaries.size > 0;
    this.#hasTemps = this.#pgTemp.size + this.#primaryTemp.size > 0;
    this.#hasAffinity = map.osdPrimaryAffinity?.some((a) => a !== DEFAULT_PRIMARY_AFFINITY) ?? false;
    this.#exceptions = new Set(
      [this.#upmap, this.#upmapItems, this.#upmapPrimaries, this.#pgTemp, this.#primaryTemp].flatMap(
        (table) => [...table.keys()],
      ),
    );
    this.#plain = new Uint8Array(map.maxOsd);
    for (let osd = 0; osd < map.maxOsd; osd++) {
      const isUp = this.#hasState(osd, OSD_STATE.exists | OSD_STATE.up);
      const affinity = map.osdPrimaryAffinity?.[osd] ?? DEFAULT_PRIMARY_AFFINITY;
      this.#plain[osd] = isUp && affinity === DEFAULT_PRIMARY_AFFINITY ? 1 : 0;
    }
    let width = pool.size;
    for (const osds of this.#upmap.values()) width = Math.max(width, osds.length);
    for (const osds of this.#pgTemp.values()) width = Math.max(width, osds.length);
    this.width = width;
  }

  /**
   * Lays the exceptions over the rule's mappings of the PGs `first` .. `first + count - 1`.
   *
   * Most PGs have no exception, so the kernel's columns are taken as they are, without a copy where no PG of the run
   * has one: raw, up and acting are one object then, as are up and acting without temps. Only the rows that need it are walked.
   *
   * @param chosen - belongs to the answer from now on: its column of seeds, which is of no more use, becomes that of the
   * primaries
   * @param memory - where what is not in the kernel's columns goes
   * @param seeds - the placement seeds of the PGs where they do not follow each other from `first` on
   */
  apply(
    chosen: MapColumns,
    first: number,
    count: number,
    memory: ColumnMemory = FRESH_MEMORY,
    seeds?: Int32Array,
  ): PgColumns {
    const width = this.width;
    const special = this.#findSpecial(chosen, first, count, seeds);
    const raw: PgSets = {
      osds: this.#widened(chosen.items, count, memory),
      lengths: chosen.lengths,
      primaries: chosen.seeds,
    };
    const pool = this.#pool.id;
    if (special.length === 0) return { pool, first, count, width, raw, up: raw, acting: raw };

    const up = copySets(raw, 'up', memory);
    const acting = this.#hasTemps ? copySets(raw, 'acting', memory) : up;
    const row: number[] = [];
    for (const i of special) {
      row.length = 0;
      const seed = chosen.seeds[i] ?? 0;
      const from = i * width;
      const end = from + (chosen.lengths[i] ?? 0);
      for (let j = from; j < end; j++) {
        const osd = raw.osds[j] ?? ITEM_NONE;
        if (this.#hasState(osd, OSD_STATE.exists)) row.push(osd);
        else if (!this.#shifts) row.push(ITEM_NONE);
      }
      write(raw, i, width, row, firstOf(row));

      const ps = this.#exceptions.size > 0 ? stableMod(seeds?.[i] ?? first + i, this.#pool.pgNum) : 0;
      if (this.#hasUpmaps) this.#applyUpmaps(ps, row);
      this.#dropDown(row);
      const upPrimary = this.#applyAffinity(seed, row);
      write(up, i, width, row, upPrimary);

      if (this.#hasTemps) this.#writeActing(acting, i, ps, row, upPrimary);
    }
    return { pool, first, count, width, raw, up, acting };
  }

  /** Finds the rows that something applies to, ascending, and writes the primaries of the others over their seeds. */
  #findSpecial(
    { items, lengths, seeds }: MapColumns,
    first: number,
    count: number,
    placement: Int32Array | undefined,
  ): readonly number[] {
    const { size, pgNum } = this.#pool;
    const special: number[] = [];
    for (let i = 0; i < count; i++) {
      const primary = this.#plainPrimary(items, i * size, lengths[i] ?? 0);
      if (
        primary === NOT_PLAIN ||
        (this.#exceptions.size > 0 && this.#exceptions.has(stableMod(placement?.[i] ?? first + i, pgNum)))
      ) {
        special.push(i);
      } else {
        seeds[i] = primary;
      }
    }
    return special;
  }

  /**
   * The primary of one PG that the rule's choice is left as it is for, or undefined when something is laid over it.
   *
   * @param ps - its placement seed, not yet reduced
   */
  primaryIfPlain({ items, lengths }: MapColumns, ps: number): number | undefined {
    if (this.#exceptions.size > 0 && this.#exceptions.has(stableMod(ps, this.#pool.pgNum))) return undefined;
    const primary = this.#plainPrimary(items, 0, lengths[0] ?? 0);
    return primary === NOT_PLAIN ? undefined : primary;
  }

  /** The first OSD of a row, or NOT_PLAIN when one of its OSDs is not placed as the rule says. */
  #plainPrimary(items: Int32Array, from: number, length: number): number {
    const plain = this.#plain;
    let primary = NO_PRIMARY;
    for (let i = from; i < from + length; i++) {
      const osd = items[i] ?? ITEM_NONE;
      // Buckets that a rule ends at, and devices beyond max_osd, are not in the table.
      if (plain[osd] === 1) {
        if (primary === NO_PRIMARY) primary = osd;
      } else if (this.#shifts || osd !== ITEM_NONE) return NOT_PLAIN;
    }
    return primary;
  }

  /** The rule's items with as many places a row as the longest upmap or temp needs. */
  #widened(items: Int32Array, count: number, memory: ColumnMemory): Int32Array {
    const { size } = this.#pool;
    const width = this.width;
    if (width === size) return items;
    const wide = memory.array('wide', count * width).fill(ITEM_NONE);
    for (let i = 0; i < count; i++) wide.set(items.subarray(i * size, (i + 1) * size), i * width);
    return wide;
  }

  #hasState(osd: number, bits: number): boolean {
    return osd >= 0 && osd < this.#map.maxOsd && ((this.#map.osdState[osd] ?? 0) & bits) === bits;
  }

  /** Whether an upmap's target keeps it from being applied: an OSD of the map that is out. */
  #isOut(osd: number): boolean {
    return osd !== ITEM_NONE && osd >= 0 && osd < this.#map.maxOsd && this.#map.osdWeight[osd] === 0;
  }

  /** `OSDMap::_apply_upmap`: a whole set, then pairs, then the primary. */
  #applyUpmaps(ps: number, row: number[]): void {
    const whole = this.#upmap.get(ps);
    if (whole !== undefined) {
      // An OSD that is out voids not only the set but all that would follow.
      if (whole.some((osd) => this.#isOut(osd))) return;
      row.length = 0;
      row.push(...whole);
    }
    for (const [from, to] of this.#upmapItems.get(ps) ?? []) {
      if (row.includes(to) || this.#isOut(to)) continue;
      const at = row.indexOf(from);
      if (at >= 0) row[at] = to;
    }
    const primary = this.#upmapPrimaries.get(ps);
    if (primary === undefined || primary === ITEM_NONE || primary < 0 || primary >= this.#map.maxOsd) return;
    const at = row.indexOf(primary, 1);
    if (at > 0 && !this.#isOut(primary)) {
      row[at] = row[0] ?? ITEM_NONE;
      row[0] = primary;
    }
  }

  /** `OSDMap::_raw_to_up_osds`: without OSDs that are down or do not exist. */
  #dropDown(row: number[]): void {
    let kept = 0;
    for (const osd of row) {
      if (this.#hasState(osd, OSD_STATE.exists | OSD_STATE.up)) row[kept++] = osd;
      else if (!this.#shifts) row[kept++] = ITEM_NONE;
    }
    row.length = kept;
  }

  /** `OSDMap::_apply_primary_affinity`: gives the primary, and in replicated pools moves it to the front. */
  #applyAffinity(seed: number, row: number[]): number {
    const affinity = this.#map.osdPrimaryAffinity;
    const usual = firstOf(row);
    if (!this.#hasAffinity || affinity === undefined) return usual;
    if (row.every((osd) => osd === ITEM_NONE || affinity[osd] === DEFAULT_PRIMARY_AFFINITY)) return usual;
    let at = -1;
    for (const [i, osd] of row.entries()) {
      if (osd === ITEM_NONE) continue;
      const wanted = affinity[osd] ?? DEFAULT_PRIMARY_AFFINITY;
      if (wanted >= DEFAULT_PRIMARY_AFFINITY || hash32(seed, osd) >>> 16 < wanted) {
        at = i;
        break;
      }
      // Not this one; but the first such is what remains if the others refuse as well.
      if (at < 0) at = i;
    }
    if (at < 0) return usual;
    const primary = row[at] ?? NO_PRIMARY;
    if (this.#shifts && at > 0) {
      row.copyWithin(1, 0, at);
      row[0] = primary;
    }
    return primary;
  }

  /** `OSDMap::_get_temp_osds`, and up where there is no temp. */
  #writeActing(acting: PgSets, index: number, ps: number, up: readonly number[], upPrimary: number): void {
    const stored = this.#pgTemp.get(ps) ?? [];
    const temp: number[] = [];
    for (const osd of stored) {
      if (this.#hasState(osd, OSD_STATE.exists | OSD_STATE.up)) temp.push(osd);
      else if (!this.#shifts) temp.push(ITEM_NONE);
    }
    const primaryTemp = this.#primaryTemp.get(ps);
    const tempPrimary = primaryTemp ?? firstOf(temp);
    if (temp.length > 0) {
      write(acting, index, this.width, this.#inShardOrder(temp, ps), tempPrimary);
    } else {
      write(acting, index, this.width, up, tempPrimary === NO_PRIMARY ? upPrimary : tempPrimary);
    }
  }

  /**
   * EC-optimised pools store a temp with the shards that can be primary first, so that older clients pick one of
   * them; this puts the shards back in their places (`OSDMap::pgtemp_undo_primaryfirst`).
   */
  #inShardOrder(temp: readonly number[], ps: number): readonly number[] {
    const { flags, size, details, id } = this.#pool;
    if ((flags & POOL_FLAG.ecOptimizations) === 0n) return temp;
    if (temp.length !== size) {
      throw new CrushError(
        'invalid-map',
        `pg_temp has ${temp.length} OSDs, an EC-optimised pool's needs ${size}`,
        {
          path: `pg ${id}.${ps.toString(16)}`,
        },
      );
    }
    const isNonprimary = (shard: number): boolean =>
      ((details.nonprimaryShards >> BigInt(shard)) & 1n) === 1n;
    const shards = Array.from({ length: size }, (_, shard) => shard);
    const stored = [...shards.filter((shard) => !isNonprimary(shard)), ...shards.filter(isNonprimary)];
    const ordered = new Array<number>(size).fill(ITEM_NONE);
    stored.forEach((shard, i) => (ordered[shard] = temp[i] ?? ITEM_NONE));
    return ordered;
  }
}

function copySets({ osds, lengths, primaries }: PgSets, name: string, memory: ColumnMemory): PgSets {
  const copy = (from: Int32Array, column: string): Int32Array => {
    const to = memory.array(`${name} ${column}`, from.length);
    to.set(from);
    return to;
  };
  return {
    osds: copy(osds, 'osds'),
    lengths: copy(lengths, 'lengths'),
    primaries: copy(primaries, 'primaries'),
  };
}

/** Writes one set over another. */
function write(sets: PgSets, index: number, width: number, row: readonly number[], primary: number): void {
  const at = index * width;
  const { osds } = sets;
  for (let i = 0; i < row.length; i++) osds[at + i] = row[i] ?? ITEM_NONE;
  // What the set before had more.
  osds.fill(ITEM_NONE, at + row.length, at + Math.max(row.length, sets.lengths[index] ?? 0));
  sets.lengths[index] = row.length;
  sets.primaries[index] = primary;
}

/** The first OSD that is not a hole, or -1 (`OSDMap::_pick_primary`). */
function firstOf(row: readonly number[]): number {
  for (const osd of row) if (osd !== ITEM_NONE) return osd;
  return NO_PRIMARY;
}
