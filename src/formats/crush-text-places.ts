/** Where in the text of a CRUSH map each of its parts stands, for editors. */
import type { CrushMap } from '../crush/model.ts';
import { parseCrushText } from './crush-text-parse.ts';
import type { BucketNode, Construct, RuleNode, Word } from './crush-text-syntax.ts';

/** What a part of the text is of: an item stands in its bucket, a device where it is declared. */
export type TextPartKind = 'device' | 'bucket' | 'item' | 'other';

/** A part of the text, from its first line to the next part's. */
export interface TextPart {
  readonly kind: TextPartKind;
  /** Offset of its first line. */
  readonly start: number;
  /** Device or bucket id; 0 for other parts. */
  readonly id: number;
}

/**
 * The places of a text that `readCrushText` has read. Offsets are UTF-16 units from the start of the text.
 *
 * @example
 * ```ts
 * const map = readCrushText(text);
 * const at = new CrushTextPlaces(text, map).bucket(-2); // where host -2 begins
 * ```
 */
export class CrushTextPlaces {
  /** All parts, in the order of the text. */
  readonly parts: readonly TextPart[];
  readonly #text: string;
  readonly #buckets = new Map<number, number>();
  readonly #devices = new Map<number, number>();
  readonly #items = new Map<string, number>();
  readonly #firstItems = new Map<number, number>();
  readonly #rules = new Map<number, { readonly at: number; readonly steps: readonly number[] }>();
  readonly #tunables = new Map<string, number>();
  readonly #types = new Map<number, number>();
  readonly #chooseArgs = new Map<number, number>();

  /** @param map - what the text was read to */
  constructor(text: string, map: CrushMap) {
    this.#text = text;
    const ids = new Map([...map.itemNames].map(([id, name]) => [name, id] as const));
    const parts: TextPart[] = [];
    for (const construct of parseCrushText(text, { needsSizes: false, knowsMsr: true }).constructs) {
      this.#add(construct, ids, parts);
    }
    this.parts = parts;
  }

  /** Where a bucket begins; shadow buckets, which the text only names by id, have no place. */
  bucket(id: number): number | undefined {
    return this.#buckets.get(id);
  }

  /** Where a device is declared. */
  device(id: number): number | undefined {
    return this.#devices.get(id);
  }

  /** Where an item stands in a bucket; without one, in the first that holds it. */
  item(id: number, bucket?: number): number | undefined {
    return bucket === undefined ? this.#firstItems.get(id) : this.#items.get(`${bucket} ${id}`);
  }

  /** Where a rule begins, or one of its steps, from 0. */
  rule(id: number, step?: number): number | undefined {
    const rule = this.#rules.get(id);
    return step === undefined ? rule?.at : (rule?.steps[step] ?? rule?.at);
  }

  /** Where a tunable is set, by its name in the text. */
  tunable(name: string): number | undefined {
    return this.#tunables.get(name);
  }

  /** Where a bucket type is declared. */
  type(number: number): number | undefined {
    return this.#types.get(number);
  }

  /** Where the choose_args of a pool begin. */
  chooseArgs(index: number): number | undefined {
    return this.#chooseArgs.get(index);
  }

  #add(construct: Construct, ids: ReadonlyMap<string, number>, parts: TextPart[]): void {
    const other = (word: Word): number => {
      const start = this.#lineOf(word);
      parts.push({ kind: 'other', start, id: 0 });
      return start;
    };
    switch (construct.kind) {
      case 'tunable':
        this.#tunables.set(construct.name.text, other(construct.name));
        break;
      case 'type':
        this.#types.set(Number(construct.id.text), other(construct.id));
        break;
      case 'device': {
        const id = Number(construct.id.text);
        const start = this.#lineOf(construct.id);
        parts.push({ kind: 'device', start, id });
        this.#devices.set(id, start);
        break;
      }
      case 'bucket':
        this.#addBucket(construct, ids, parts);
        break;
      case 'rule':
        this.#addRule(construct, other(construct.name ?? construct.id));
        break;
      case 'choose_args':
        this.#chooseArgs.set(Number(construct.index.text), other(construct.index));
    }
  }

  #addBucket(node: BucketNode, ids: ReadonlyMap<string, number>, parts: TextPart[]): void {
    const bucket = ids.get(node.name.text);
    if (bucket === undefined) return;
    const start = this.#lineOf(node.type);
    this.#buckets.set(bucket, start);
    parts.push({ kind: 'bucket', start, id: bucket });
    for (const { name } of node.items) {
      const id = ids.get(name.text);
      if (id === undefined) continue;
      const at = this.#lineOf(name);
      parts.push({ kind: 'item', start: at, id });
      const key = `${bucket} ${id}`;
      if (!this.#items.has(key)) this.#items.set(key, at);
      if (!this.#firstItems.has(id)) this.#firstItems.set(id, at);
    }
  }

  #addRule({ id, steps }: RuleNode, at: number): void {
    let last = at;
    const places = steps.map((step) => {
      const word = step.kind === 'take' ? step.item : step.kind === 'set' ? step.value : undefined;
      const known = step.kind === 'choose' ? step.count : word;
      // `emit` holds nothing that has a place: it is the next one after the step before it.
      const found = known?.at ?? this.#text.indexOf('emit', this.#lineEnd(last));
      last = found < 0 ? last : found;
      return this.#text.lastIndexOf('\n', last) + 1;
    });
    this.#rules.set(Number(id.text), { at, steps: places });
  }

  #lineOf({ at }: Word): number {
    return this.#text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }
}

/** The offset of a line and column, both from 1; beyond the end of the text, its end. */
export function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let each = 1; each < line; each++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(text.length, start + column - 1);
}
