/** The PGs that change between two maps, hundreds of thousands of them, in few arrays. */
import { type ChangedPg, MOVE_CAUSES, type MoveCause } from '../../../../../src/analysis/compare.ts';
import { copiedShards } from '../../../../../src/analysis/compare/report.ts';
import { formatPgId } from '../../../../../src/osdmap/pg-text.ts';

/** Which of them are wanted. */
export interface ChangedPgFilter {
  readonly pool?: number | undefined;
  readonly cause?: string | undefined;
  /** Words that all must apply: `osd.7` or `7` for PGs that have or had the OSD, `4.1f` or `4.` for PGs. */
  readonly words?: string | undefined;
}

/** A changed PG as the page shows it. */
export interface ChangedPgRow {
  readonly pool: number;
  readonly ps: number;
  readonly cause: MoveCause | undefined;
  readonly moved: number;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly beforePrimary: number;
  readonly afterPrimary: number;
}

/** Numbers of each PG before its sets: see {@link ChangedPgTable.add}. */
const HEAD = 8;

/** A table of changed PGs. */
export class ChangedPgTable {
  #numbers = new Int32Array(1 << 14);
  #used = 0;
  readonly #starts: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  add(pg: ChangedPg): void {
    const { before, after } = pg;
    const needed = this.#used + HEAD + before.length + after.length;
    if (needed > this.#numbers.length) {
      const grown = new Int32Array(Math.max(needed, this.#numbers.length * 2));
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#starts.push(this.#used);
    const cause = pg.cause === undefined ? -1 : MOVE_CAUSES.indexOf(pg.cause);
    const head = [pg.pool, pg.ps, cause, copiedShards(pg), pg.beforePrimary, pg.afterPrimary];
    this.#numbers.set([...head, before.length, after.length, ...before, ...after], this.#used);
    this.#used = needed;
  }

  row(index: number): ChangedPgRow {
    const numbers = this.#numbers;
    const start = this.#starts[index] ?? 0;
    const at = (offset: number): number => numbers[start + offset] ?? 0;
    const middle = start + HEAD + at(6);
    return {
      pool: at(0),
      ps: at(1),
      cause: MOVE_CAUSES[at(2)],
      moved: at(3),
      beforePrimary: at(4),
      afterPrimary: at(5),
      before: Array.from(numbers.subarray(start + HEAD, middle)),
      after: Array.from(numbers.subarray(middle, middle + at(7))),
    };
  }

  /** Indexes of the PGs that a filter lets through, in order. */
  matching({ pool, cause, words = '' }: ChangedPgFilter): Uint32Array {
    const tests = words.trim().toLowerCase().split(/\s+/).filter(Boolean).map(wordTest);
    const wanted = cause === undefined ? undefined : MOVE_CAUSES.findIndex((each) => each === cause);
    const found: number[] = [];
    const numbers = this.#numbers;
    for (const [index, start] of this.#starts.entries()) {
      if (pool !== undefined && numbers[start] !== pool) continue;
      if (wanted !== undefined && numbers[start + 2] !== wanted) continue;
      if (tests.every((test) => test(numbers, start))) found.push(index);
    }
    return Uint32Array.from(found);
  }
}

/** Tells whether a word applies to the PG that starts somewhere in the numbers. */
type WordTest = (numbers: Int32Array, start: number) => boolean;

function wordTest(word: string): WordTest {
  const osd = /^(?:osd\.)?(\d{1,9})$/.exec(word);
  if (osd !== null) {
    const id = Number(osd[1]);
    return (numbers, start) => {
      const end = start + HEAD + (numbers[start + 6] ?? 0) + (numbers[start + 7] ?? 0);
      for (let i = start + HEAD; i < end; i++) if (numbers[i] === id) return true;
      return false;
    };
  }
  return (numbers, start) => formatPgId(numbers[start] ?? 0, numbers[start + 1] ?? 0).startsWith(word);
}
