/** The changes made to an open document, one after the other, with undo and redo. */
import { applyChanges, type MapChange } from '../../../../src/analysis/what-if.ts';
import type { ChangeStep } from '../../../../src/analysis/what-if/commands.ts';
import { changeWords } from '../../../../src/analysis/what-if/words.ts';
import { CrushError } from '../../../../src/errors.ts';
import type { OsdMap } from '../../../../src/osdmap/model.ts';
import { withCrushAround } from '../crush-only.ts';
import type { OpenDocument } from '../open-document.ts';
import { documentMoves, keptMap, placedMap } from './placed.ts';
import { type MoveCounts, type PlacedMap, tallyMoves } from './tally.ts';

/** A change as the page shows it. */
export interface HistoryItem {
  readonly id: number;
  /** The change as `crush-wasm whatif` takes it. */
  readonly words: string;
  readonly kind: MapChange['kind'];
  /** What this change moved by itself, from the state before it. */
  readonly own: MoveCounts;
}

/** All changes, those that were undone at the end. */
export interface HistoryState {
  readonly items: readonly HistoryItem[];
  /** How many of them are in effect; the others can be done again. */
  readonly applied: number;
}

interface Entry extends HistoryItem {
  readonly change: MapChange;
  readonly map: OsdMap;
  readonly gesture: number | undefined;
}

/** Changes at most: each keeps the map that it has made, of which large CRUSH maps are some megabytes. */
export const MOST_CHANGES = 100;

const histories = new WeakMap<OpenDocument, ChangeHistory>();

/** The history of a document. */
export function historyOf(document: OpenDocument): ChangeHistory {
  let history = histories.get(document);
  if (history === undefined) histories.set(document, (history = new ChangeHistory(document)));
  return history;
}

/** See the top of the file. What throws changes nothing. */
export class ChangeHistory {
  readonly #document: OpenDocument;
  #entries: Entry[] = [];
  #applied = 0;
  #nextId = 1;
  /** The state before the last change, and which change that is. */
  #base: { readonly id: number; readonly placed: PlacedMap } | undefined;

  constructor(document: OpenDocument) {
    this.#document = document;
  }

  /** The changes in effect, in order. */
  get changes(): MapChange[] {
    return this.#entries.slice(0, this.#applied).map(({ change }) => change);
  }

  /** The changes in effect, each with the maps before and after it. */
  get steps(): ChangeStep[] {
    return this.#entries
      .slice(0, this.#applied)
      .map(({ change, map }, i) => ({ change, before: this.#mapAt(i), after: map }));
  }

  /** The changes as plain data. */
  get state(): HistoryState {
    const items = this.#entries.map(({ id, words, kind, own }) => ({ id, words, kind, own }));
    return { items, applied: this.#applied };
  }

  /**
   * Makes a change.
   *
   * @param gesture - while this is the number of the last change, that one is replaced: the steps of one drag are one
   *   change
   * @throws CrushError as `applyChanges`, and for too many changes
   */
  make(change: MapChange, gesture?: number): void {
    const last = this.#applied === this.#entries.length ? this.#entries.at(-1) : undefined;
    const replaced = gesture !== undefined && last?.gesture === gesture ? last : undefined;
    if (replaced === undefined && this.#applied >= MOST_CHANGES) {
      throw new CrushError(
        'refused',
        `there are ${MOST_CHANGES} changes already; save the map and open that, or clear the list`,
      );
    }
    const kept = replaced === undefined ? this.#applied : this.#applied - 1;
    const map = this.#changed(this.#mapAt(kept), change);
    const id = replaced?.id ?? this.#nextId++;
    let base = this.#base;
    if (base?.id !== id) {
      if (replaced !== undefined) this.#document.change(this.#mapAt(kept));
      base = { id, placed: keptMap(this.#document) };
    }
    this.#document.change(map);
    this.#base = base;
    this.#entries = [...this.#entries.slice(0, kept), this.#entry(id, change, map, gesture, base.placed)];
    this.#applied = this.#entries.length;
  }

  /** Takes the last change back; nothing happens where there is none. */
  undo(): void {
    if (this.#applied === 0) return;
    this.#document.change(this.#mapAt(this.#applied - 1));
    this.#applied--;
  }

  /** Makes the change again that was taken back last; nothing happens where there is none. */
  redo(): void {
    if (this.#applied >= this.#entries.length) return;
    this.#document.change(this.#mapAt(this.#applied + 1));
    this.#applied++;
  }

  /** Takes all changes back and forgets them. */
  clear(): void {
    if (this.#applied > 0) this.#document.change(this.#document.original);
    this.#entries = [];
    this.#applied = 0;
    this.#base = undefined;
  }

  /**
   * Takes one change out of the list; those after it are made anew without it.
   *
   * @throws CrushError where a later change cannot be made without it
   */
  remove(id: number): void {
    const at = this.#entries.findIndex((entry) => entry.id === id);
    if (at < 0) throw new CrushError('not-found', 'the change is no longer in the list');
    if (at >= this.#applied) {
      // What was undone depends on it.
      this.#entries.length = at;
      return;
    }
    const later = this.#entries.slice(at + 1, this.#applied);
    const maps: OsdMap[] = [];
    for (const { change, words } of later) {
      try {
        maps.push(this.#changed(maps.at(-1) ?? this.#mapAt(at), change));
      } catch (error) {
        if (!(error instanceof CrushError)) throw error;
        const { code, message, place } = error;
        throw new CrushError(code, `'${words}' needs it: ${message}`, place);
      }
    }
    const before = this.#document.current;
    const entries = this.#entries.slice(0, at);
    try {
      this.#document.change(this.#mapAt(at));
      for (const [i, { id: ownId, change, gesture }] of later.entries()) {
        const base = keptMap(this.#document);
        const map = maps[i] ?? before;
        this.#document.change(map);
        entries.push(this.#entry(ownId, change, map, gesture, base));
      }
    } catch (error) {
      this.#document.change(before);
      throw error;
    }
    this.#entries = entries;
    this.#applied = entries.length;
    this.#base = undefined;
  }

  #entry(id: number, change: MapChange, map: OsdMap, gesture: number | undefined, base: PlacedMap): Entry {
    const isFirst = base.map === this.#document.original;
    const moves = isFirst
      ? documentMoves(this.#document)
      : tallyMoves(base, placedMap(this.#document, 'current'));
    const own = moves.total;
    return { id, change, kind: change.kind, words: changeWords(change), map, gesture, own };
  }

  /** The map after so many changes. */
  #mapAt(count: number): OsdMap {
    return this.#entries[count - 1]?.map ?? this.#document.original;
  }

  /** All changes together are one epoch. */
  #changed(map: OsdMap, change: MapChange): OsdMap {
    const { original, isMadeUp } = this.#document;
    // Pools that are made up for the rules of a CRUSH map are so for the rules of another.
    const changed =
      isMadeUp && change.kind === 'crushmap'
        ? withCrushAround(map, change.crush, Math.max(0, ...original.crush.chooseArgs.keys()))
        : applyChanges(map, [change]);
    return { ...changed, epoch: original.epoch + 1 };
  }
}
