/**
 * Why a PG moved: the difference of the two maps is made in steps of one kind each ({@link mapChanges}), all of them
 * are mapped, and the PG gets the step in which most of its moved shards left their old OSD or came to their new one;
 * of equals the first.
 */
import { ITEM_NONE } from '../../crush/model.ts';
import { OSD_STATE, type OsdMap } from '../../osdmap/model.ts';
import { PgMapper, type PgMapperOptions } from '../../osdmap/pg-mapper.ts';
import { mapChanges, type MapCause, type MapStep } from './map-changes.ts';
import { pgOfUnit, RowReader, type SetChoice } from './units.ts';

/** Why a PG moved. `upmap-useless`: an upmap of both maps held it on an OSD that is still there, but applies no more. */
export type MoveCause = MapCause | 'upmap-useless';

/** Every cause, in the order in which they are listed. */
export const MOVE_CAUSES: readonly MoveCause[] = [
  'pg-num',
  'size',
  'osd-removed',
  'osd-out',
  'osd-down',
  'bucket-moved',
  'osd-added',
  'osd-up',
  'osd-in',
  'reweight',
  'crush-weight',
  'bucket-algorithm',
  'device-class',
  'choose-args',
  'rule',
  'tunables',
  'upmap-dropped',
  'upmap-added',
  'upmap-useless',
  'affinity',
  'temp',
  'other',
];

/** A changed PG, as the finder is asked about it. */
export interface ChangedRow {
  readonly unit: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly beforePrimary: number;
  readonly afterPrimary: number;
}

/** Finds causes, one pool after the other. */
export class CauseFinder {
  readonly #before: OsdMap;
  readonly #options: PgMapperOptions;
  readonly #steps: readonly MapStep[];
  readonly #mappers: (PgMapper | undefined)[] = [];

  constructor(before: OsdMap, after: OsdMap, options: PgMapperOptions) {
    this.#before = before;
    this.#options = options;
    this.#steps = mapChanges(before, after);
  }

  /** Finds causes in a pool, whose columns at both ends are given. */
  ofPool(poolId: number, ordered: boolean, choice: SetChoice, ends: PoolEnds): PoolCauses {
    const steps = this.#steps;
    const states = [this.#before, ...steps.map(({ map }) => map)].map((map, i): ChainState => {
      const isEnd = i === 0 || i === steps.length;
      const columns = i === 0 ? ends.before : ends.after;
      const rows = isEnd ? columns : this.#mapper(i, map).mapPool(poolId);
      const pgNum = map.pools.get(poolId)?.pgNum ?? 0;
      const upmaps = [map.pgUpmap, map.pgUpmapItems].flatMap((table) => table.get(poolId) ?? []);
      return { map, pgNum, sets: new RowReader(rows, choice), raw: new RowReader(rows, 'raw'), upmaps };
    });
    return new PoolCauses(
      states,
      steps.map(({ cause }) => cause),
      ordered,
    );
  }

  #mapper(index: number, map: OsdMap): PgMapper {
    return (this.#mappers[index] ??= new PgMapper(map, this.#options));
  }
}

/** Columns of a pool in the map before and in the map after. */
export interface PoolEnds {
  readonly before: ReturnType<PgMapper['mapPool']>;
  readonly after: ReturnType<PgMapper['mapPool']>;
}

/** The pool in one map of the chain. */
interface ChainState {
  readonly map: OsdMap;
  readonly pgNum: number;
  readonly sets: RowReader;
  readonly raw: RowReader;
  /** The pool's upmaps of each kind. */
  readonly upmaps: readonly ReadonlyMap<number, unknown>[];
}

/** What one step did to a PG: shards that left or came, and those of them that an upmap no more held. */
interface StepEffect {
  plain: number;
  useless: number;
}

/** Finds the causes of one pool's moves. */
export class PoolCauses {
  readonly #states: readonly ChainState[];
  readonly #causes: readonly MapCause[];
  readonly #ordered: boolean;
  readonly #last: number[] = [];
  readonly #next: number[] = [];
  readonly #raw: number[] = [];

  constructor(states: readonly ChainState[], causes: readonly MapCause[], ordered: boolean) {
    this.#states = states;
    this.#causes = causes;
    this.#ordered = ordered;
  }

  /** The cause of one PG's change. */
  find(row: ChangedRow): MoveCause {
    let best: MoveCause = this.#causes[0] ?? 'other';
    let most = 0;
    for (let step = 1; step < this.#states.length; step++) {
      const cause = this.#causes[step - 1] ?? 'other';
      const { plain, useless } = this.#effect(step, row);
      if (plain > most) [best, most] = [cause, plain];
      if (useless > most) [best, most] = ['upmap-useless', useless];
    }
    return best;
  }

  #effect(step: number, row: ChangedRow): StepEffect {
    const from = this.#states[step - 1];
    const to = this.#states[step];
    if (from === undefined || to === undefined) return { plain: 0, useless: 0 };
    const fromPg = pgOfUnit(row.unit, from.pgNum);
    const toPg = pgOfUnit(row.unit, to.pgNum);
    const last = from.sets.read(fromPg, this.#last);
    const next = to.sets.read(toPg, this.#next);
    const end = this.#states.at(-1);
    const seesUpmaps = isUpmapped(from, row.unit) && end !== undefined && isUpmapped(end, row.unit);
    const raw = seesUpmaps ? from.raw.read(fromPg, this.#raw) : this.#raw;
    const isUseless = (osd: number, position: number): boolean =>
      seesUpmaps && (this.#ordered ? raw[position] !== osd : !raw.includes(osd)) && isUpAndIn(to.map, osd);
    const effect = this.#ordered
      ? orderedEffect(row, last, next, isUseless)
      : freeEffect(row, last, next, isUseless);
    if (effect.moves > 0) return effect;
    // Nothing moves but the lead.
    const lastPrimary = from.sets.primary(fromPg);
    const nextPrimary = to.sets.primary(toPg);
    if (lastPrimary === nextPrimary || effect.isMove) return { plain: 0, useless: 0 };
    const left = lastPrimary === row.beforePrimary ? 1 : 0;
    const came = nextPrimary === row.afterPrimary ? 1 : 0;
    return { plain: left + came, useless: 0 };
  }
}

interface MoveEffect extends StepEffect {
  readonly moves: number;
  /** Whether any shard of the PG moves at all, in this step or another. */
  readonly isMove: boolean;
}

type UselessTest = (osd: number, position: number) => boolean;

function orderedEffect(
  { before, after }: ChangedRow,
  last: readonly number[],
  next: readonly number[],
  isUseless: UselessTest,
): MoveEffect {
  let plain = 0;
  let useless = 0;
  let isMove = false;
  for (let i = 0; i < Math.max(before.length, after.length); i++) {
    const old = before[i] ?? ITEM_NONE;
    const now = after[i] ?? ITEM_NONE;
    if (old === now) continue;
    isMove = true;
    const here = last[i] ?? ITEM_NONE;
    const there = next[i] ?? ITEM_NONE;
    if (here === there) continue;
    const left = old !== ITEM_NONE && here === old ? 1 : 0;
    const came = now !== ITEM_NONE && there === now ? 1 : 0;
    if (here !== ITEM_NONE && isUseless(here, i)) useless += left + came;
    else plain += left + came;
  }
  return { plain, useless, moves: plain + useless, isMove };
}

function freeEffect(
  { before, after }: ChangedRow,
  last: readonly number[],
  next: readonly number[],
  isUseless: UselessTest,
): MoveEffect {
  let plain = 0;
  let useless = 0;
  let came = 0;
  let isMove = false;
  for (const osd of before) {
    if (osd === ITEM_NONE || after.includes(osd)) continue;
    isMove = true;
    if (!last.includes(osd) || next.includes(osd)) continue;
    if (isUseless(osd, -1)) useless++;
    else plain++;
  }
  for (const osd of after) {
    if (osd === ITEM_NONE || before.includes(osd)) continue;
    isMove = true;
    if (next.includes(osd) && !last.includes(osd)) came++;
  }
  // Who came for whom cannot be told; what came goes with most of what left.
  if (useless > plain) useless += came;
  else plain += came;
  return { plain, useless, moves: plain + useless, isMove };
}

function isUpmapped({ upmaps, pgNum }: ChainState, unit: number): boolean {
  const pg = pgOfUnit(unit, pgNum);
  return upmaps.some((table) => table.has(pg));
}

function isUpAndIn(map: OsdMap, osd: number): boolean {
  const isUp = ((map.osdState[osd] ?? 0) & OSD_STATE.up) !== 0;
  return isUp && (map.osdWeight[osd] ?? 0) > 0;
}
