/** What of an explanation is pointed out in the picture of the hierarchy. */
import type {
  Attempt,
  BucketDraw,
  MsrStride,
  PgTrace,
  PlaceTrace,
} from '../../../../src/analysis/explain.ts';
import { ITEM_NONE } from '../../../../src/crush/model.ts';
import type { PathStep } from '../../picture/hierarchy-picture.tsx';
import { pathTo } from '../../picture/rows.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';

/** Whether an item is in the result, was drawn and not taken on the way to it, or came in or went by the OSDMap. */
export type StepKind = 'up' | 'acting' | 'again' | 'rejected' | 'dropped';

/** An item that is pointed out. */
export interface PictureStep extends PathStep {
  readonly kind: StepKind;
  readonly name: string;
  /** What it is in words. */
  readonly text: string;
}

/** What is pointed out: the places of the up set by number, and what was not taken with a cross. */
export function pictureSteps(trace: PgTrace, rows: HierarchyRows): PictureStep[] {
  const finder = new RowFinder(rows, trace);
  const steps = new Map<number, PictureStep>();
  const note = (row: number, label: string, kind: StepKind, text: string): void => {
    if (row < 0 || steps.has(row)) return;
    steps.set(row, { row, label, kind, name: rows.names[row] ?? '', text });
  };
  for (const [place, osd] of trace.up.entries()) {
    if (osd === ITEM_NONE) continue;
    const isPrimary = osd === trace.upPrimary ? ', primary' : '';
    const how = trace.raw.includes(osd) ? '' : ', by an upmap';
    note(finder.rowOf(osd), String(place), 'up', `up at place ${place}${isPrimary}${how}`);
  }
  for (const [place, osd] of trace.acting.entries()) {
    if (osd !== ITEM_NONE)
      note(finder.rowOf(osd), `a${place}`, 'acting', `acting at place ${place}, by a temp`);
  }
  for (const osd of trace.crush.result) {
    if (osd !== ITEM_NONE) note(finder.rowOf(osd), '✕', 'dropped', 'chosen by the rule, not in the up set');
  }
  for (const attempt of failedAttempts(trace)) {
    const { item, verdict } = attempt;
    if (item === undefined) continue;
    const kind = verdict.code === 'collision' ? 'again' : 'rejected';
    note(finder.rowOf(item.id, item.name), '✕', kind, REASONS[verdict.code] ?? 'rejected');
  }
  return [...steps.values()];
}

const REASONS: Readonly<Partial<Record<Attempt['verdict']['code'], string>>> = {
  collision: 'drawn again while in use',
  out: 'drawn, but out',
  'no-leaf': 'drawn, but no device was found below',
  'empty-bucket': 'drawn, but empty',
  'no-device': 'drawn, but beyond max_devices',
  'wrong-type': 'drawn, but of another type',
};

/** All attempts of a rule that failed, those of searches for a device too. */
function failedAttempts(trace: PgTrace): Attempt[] {
  const failed: Attempt[] = [];
  const visit = (place: PlaceTrace): void => {
    for (const attempt of place.attempts) {
      if (attempt.leaf !== undefined) visit(attempt.leaf);
      if (attempt.verdict.code !== 'chosen') failed.push(attempt);
    }
  };
  for (const step of trace.crush.steps) {
    if (step.kind === 'choose') for (const { places } of step.choices) places.forEach(visit);
  }
  return failed;
}

/** Finds the row of an item; of an item in several places, the one that the mapping came by. */
class RowFinder {
  readonly #rows: HierarchyRows;
  /** Names of the buckets that the mapping came by; a shadow bucket by the name of its original. */
  readonly #passed: ReadonlySet<string>;
  readonly #places: ReadonlyMap<number, readonly number[]>;

  constructor(rows: HierarchyRows, trace: PgTrace) {
    this.#rows = rows;
    this.#passed = new Set(bucketsOf(trace).map(withoutClass));
    const places = new Map<number, number[]>();
    rows.ids.forEach((id, row) => {
      const known = places.get(id);
      if (known === undefined) places.set(id, [row]);
      else known.push(row);
    });
    this.#places = places;
  }

  /** A shadow bucket's row is that of its original, which has its name but for the class. */
  rowOf(id: number, name = ''): number {
    const places = this.#places.get(id) ?? [];
    if (places.length === 0) return this.#rows.names.indexOf(withoutClass(name));
    if (places.length === 1) return places[0] ?? -1;
    const isPassed = (row: number): boolean => this.#passed.has(this.#rows.names[row] ?? '');
    return places.find((row) => pathTo(this.#rows, row).slice(0, -1).every(isPassed)) ?? places[0] ?? -1;
  }
}

function withoutClass(name: string): string {
  return name.replace(/~[^~]*$/, '');
}

function bucketsOf(trace: PgTrace): string[] {
  const names: string[] = [];
  const see = (draws: readonly BucketDraw[]): void => {
    for (const { bucket } of draws) names.push(bucket.name);
  };
  const seePlace = (place: PlaceTrace): void => {
    for (const { draws, leaf } of place.attempts) {
      see(draws);
      if (leaf !== undefined) seePlace(leaf);
    }
  };
  const seeStride = (stride: MsrStride): void => {
    for (const { draws } of stride.tries) see(draws);
    stride.below?.forEach(seeStride);
  };
  for (const step of trace.crush.steps) {
    if (step.kind === 'choose') for (const { places } of step.choices) places.forEach(seePlace);
    if (step.kind === 'msr-block') for (const { strides } of step.descents) strides.forEach(seeStride);
    if (step.kind === 'take') names.push(step.item?.name ?? '');
  }
  return names;
}
