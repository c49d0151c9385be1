/** Rows of the PG table, asked of the worker piece by piece as they come into sight. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { worker } from '../../app/worker-client.ts';
import type { PgQuery, PgRow } from '../../worker/topics/pgs.ts';

/** Rows of one call. */
const PIECE = 128;
/** Pieces that are remembered. */
const KEPT = 64;

/** The rows of one query. */
export class PgRowStore {
  readonly #ask: (first: number, count: number) => Promise<readonly PgRow[]>;
  readonly #onRows: () => void;
  /** By number of the piece, those that came last at the end. */
  readonly #pieces = new Map<number, readonly PgRow[]>();
  #wanted: readonly [first: number, end: number] = [0, 0];
  #isAsking = false;
  #isClosed = false;

  /**
   * @param head - the first rows, which are known already
   * @param onRows - called whenever there are more rows
   */
  constructor(
    ask: (first: number, count: number) => Promise<readonly PgRow[]>,
    head: readonly PgRow[],
    onRows: () => void,
  ) {
    this.#ask = ask;
    this.#onRows = onRows;
    this.#pieces.set(0, head.slice(0, PIECE));
  }

  /** A row, or undefined while it is not there. */
  row(index: number): PgRow | undefined {
    return this.#pieces.get(Math.floor(index / PIECE))?.[index % PIECE];
  }

  /** A row that is not there yet, as when it is chosen before it has come; undefined once the store is closed. */
  async fetchRow(index: number): Promise<PgRow | undefined> {
    const [row] = await this.#ask(index, 1);
    return this.#isClosed ? undefined : row;
  }

  /** Asks for rows. Of windows that pass while an answer is awaited, only the last is asked for. */
  want(first: number, count: number): void {
    this.#wanted = [first, first + count];
    if (!this.#isAsking) void this.#fetch();
  }

  /** Answers that are still to come are dropped. */
  close(): void {
    this.#isClosed = true;
  }

  async #fetch(): Promise<void> {
    this.#isAsking = true;
    try {
      for (let missing = this.#missing(); missing !== undefined; missing = this.#missing()) {
        const [from, to] = missing;
        const rows = await this.#ask(from * PIECE, (to - from) * PIECE);
        if (this.#isClosed) return;
        for (let piece = from; piece < to; piece++) {
          this.#keep(piece, rows.slice((piece - from) * PIECE, (piece - from + 1) * PIECE));
        }
        this.#onRows();
      }
    } catch {
      // The list itself says what is wrong; its rows stay open.
    } finally {
      this.#isAsking = false;
    }
  }

  /** Numbers of the pieces that are wanted and not there, the last not included. */
  #missing(): readonly [number, number] | undefined {
    if (this.#isClosed) return undefined;
    let from = Math.floor(this.#wanted[0] / PIECE);
    let to = Math.ceil(this.#wanted[1] / PIECE);
    while (from < to && this.#pieces.has(from)) from++;
    while (to > from && this.#pieces.has(to - 1)) to--;
    return from < to ? [from, to] : undefined;
  }

  #keep(piece: number, rows: readonly PgRow[]): void {
    this.#pieces.delete(piece);
    this.#pieces.set(piece, rows);
    for (const old of this.#pieces.keys()) {
      if (this.#pieces.size <= KEPT) break;
      this.#pieces.delete(old);
    }
  }
}

/** The rows of what a query has found; another key, another store. */
export function usePgRows(query: PgQuery, head: readonly PgRow[], key: string): PgRowStore {
  const [, redraw] = useState(0);
  const store = useMemo(
    () =>
      new PgRowStore(
        (first, count) => worker.pgRows(query, first, count),
        head,
        () => redraw((times) => times + 1),
      ),
    [key],
  );
  useEffect(() => () => store.close(), [store]);
  return store;
}
