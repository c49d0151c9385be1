/** What the compiler of CRUSH map texts knows so far, and how it refuses. */
import { CrushDraft } from '../crush/draft.ts';
import { LEGACY_TUNABLES } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { lineAndColumn } from './crush-text-lines.ts';
import type { Grammar, Word } from './crush-text-syntax.ts';

/** Hears what crushtool would say while it compiles. */
export interface CompileListener {
  /** How much it says: 0 for errors and warnings only, up to 4. */
  readonly verbose: number;
  /** Gets crushtool's own words about what it does, with their line ends. */
  readonly say: (words: string) => void;
  /** Gets crushtool's own words about why it gives up. */
  readonly refuse: (words: string) => void;
  /** A 16.16 weight as crushtool's messages have it. */
  readonly formatWeight: (weight: number) => string;
}

/** Words of a text that are too long to be repeated to people. */
const LONG_WORD = /([\w.-]{100})[\w.-]{20,}/g;

/** A map while it is compiled. */
export class CompileState {
  readonly grammar: Grammar;
  readonly listener: CompileListener;
  readonly draft = CrushDraft.empty(LEGACY_TUNABLES);
  readonly itemIds = new Map<string, number>();
  readonly typeIds = new Map<string, number>();
  readonly classIds = new Map<string, number>();
  readonly ruleNames = new Set<string>();
  /** Ids of buckets, also of those yet to come and of shadows; none of these is given to a bucket without an id. */
  readonly usedIds = new Set<number>();
  /** 16.16 sums of the weights of the items. */
  readonly bucketWeights = new Map<number, number>();
  /** Ids that shadow buckets are to have, by bucket and class. */
  readonly shadowIds = new Map<number, Map<number, number>>();
  hasRule = false;
  readonly #text: string;
  #nextFreeId = -1;

  constructor(text: string, grammar: Grammar, listener: CompileListener) {
    this.#text = text;
    this.grammar = grammar;
    this.listener = listener;
  }

  /** Whether the listener wants to know of every step. */
  get isVerbose(): boolean {
    return this.listener.verbose > 0;
  }

  /** Number of a device class, which is made where there is none (`CrushWrapper::get_or_create_class_id`). */
  classOf(name: string): number {
    const known = this.classIds.get(name);
    if (known !== undefined) return known;
    const id = this.classIds.size;
    this.classIds.set(name, id);
    this.draft.classNames.set(id, name);
    return id;
  }

  /** An id for a bucket that has none. */
  freeId(): number {
    while (this.usedIds.has(this.#nextFreeId)) this.#nextFreeId--;
    return this.#nextFreeId;
  }

  /** Does what may fail for reasons that are not in one word of the text. */
  build(word: Word, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof CrushError)) throw error;
      if (error.errno === 'EEXIST') {
        const id = this.itemIds.get(word.text) ?? 0;
        this.refuse(
          word,
          `there is a bucket ${id} already; give each its own id`,
          `Duplicate bucket id ${id}\n`,
        );
      }
      throw new CrushError('malformed', error.message, lineAndColumn(this.#text, word.at));
    }
  }

  /** Refuses the text: `words` are crushtool's, '' where it says nothing or comes to no end. */
  refuse(word: Word, message: string, words = ''): never {
    if (words !== '') this.listener.refuse(words);
    const short = message.replace(LONG_WORD, '$1...');
    throw new CrushError('malformed', short, lineAndColumn(this.#text, word.at));
  }
}
