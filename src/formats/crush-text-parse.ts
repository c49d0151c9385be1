/**
 * Parses the text of a CRUSH map into its constructs. The grammar is that of Ceph's src/crush/grammar.h: choices are
 * tried in order, repetitions take all they can, and a keyword may run into what follows it (`device0 osd.0`).
 */
import type {
  BucketIdNode,
  BucketNode,
  ChooseArgNode,
  ChooseArgsNode,
  Construct,
  DeviceNode,
  Grammar,
  ItemNode,
  RuleNode,
  StepNode,
  TunableNode,
  TypeNode,
  Word,
} from './crush-text-syntax.ts';
import { MSR_RULE_TYPES, MSR_SET_STEPS, RULE_TYPES, SET_STEPS } from './crush-text-words.ts';

/** Where the text stops following the grammar. */
export interface SyntaxFailure {
  /** Offset one past the last whole construct, where crushtool says the error is. */
  readonly stop: number;
  /** Offset of what is wrong. */
  readonly at: number;
  /** What could stand there, or what is wrong with what does. */
  readonly problem: string;
}

/** What the parser makes of a text. */
export interface Parsed {
  readonly constructs: readonly Construct[];
  readonly failure?: SyntaxFailure;
}

/** Parses a text; a failure leaves the constructs before it. */
export function parseCrushText(text: string, grammar: Grammar): Parsed {
  return new Parser(text, grammar).parse();
}

/** Digits of a number that `double` can take; the parser that Ceph uses gives up on longer ones. */
const MOST_DIGITS = 308;

class Parser {
  readonly #text: string;
  readonly #grammar: Grammar;
  /** Offset one past what was taken. */
  #at = 0;
  /** The farthest offset at which something was missing, and what. */
  #farthest = 0;
  readonly #expected = new Set<string>();

  constructor(text: string, grammar: Grammar) {
    this.#text = text;
    this.#grammar = grammar;
  }

  parse(): Parsed {
    const constructs: Construct[] = [];
    const head = this.#all(() => this.#tunable() ?? this.#device() ?? this.#type());
    const body = this.#all(() => this.#bucket() ?? this.#rule());
    const tail = this.#all(() => this.#chooseArgs());
    for (const part of [head, body, tail]) for (const construct of part) constructs.push(construct);
    const stop = this.#at;
    if (this.#skipped() === this.#text.length) return { constructs };
    const misplaced = this.#misplaced(body.length > 0, tail.length > 0);
    if (misplaced !== undefined) return { constructs, failure: { stop, ...misplaced } };
    this.#lookAgain();
    return { constructs, failure: { stop, at: this.#farthest, problem: this.#problem() } };
  }

  /** A construct that stands after those that must follow it. */
  #misplaced(hasBody: boolean, hasTail: boolean): { at: number; problem: string } | undefined {
    const at = this.#skipped();
    const [, word = ''] = /^(tunable|device|type)\s+\S+\s+[^\s{]/.exec(this.#text.slice(at, at + 200)) ?? [];
    if (word !== '' && (hasBody || hasTail)) {
      return { at, problem: `'${word}' must stand before all buckets, rules and choose_args; move it up` };
    }
    if (!hasTail || this.#bucketOrRuleStarts(at) === undefined) return undefined;
    return { at, problem: 'buckets and rules must stand before choose_args; move this up' };
  }

  /** Finds what is missing where the first word says what is meant, which otherwise might begin a bucket too. */
  #lookAgain(): void {
    const start = this.#skipped();
    const [, word] = /^(tunable|device|type|rule)\s/.exec(this.#text.slice(start, start + 10)) ?? [];
    if (word === undefined) return;
    this.#farthest = start;
    if (word === 'tunable') this.#tunable();
    else if (word === 'device') this.#device();
    else if (word === 'type') this.#type();
    else this.#rule();
  }

  #bucketOrRuleStarts(at: number): string | undefined {
    return /^[\w.-]+\s+([\w.-]+\s*)?\{/.exec(this.#text.slice(at, at + 200))?.[0];
  }

  #problem(): string {
    const expected = [...this.#expected];
    const last = expected.pop() ?? 'the end';
    const list = expected.length === 0 ? last : `${expected.join(', ')} or ${last}`;
    return `expected ${list}, found ${this.#found(this.#farthest)}`;
  }

  #found(at: number): string {
    const rest = this.#text.slice(at, at + 41);
    if (rest === '') return 'the end of the text';
    const [word] = /^(?:[\w.+-]+|[^\w.+-])/u.exec(rest) ?? [rest];
    return `'${word.length > 40 ? `${word.slice(0, 37)}...` : word}'`;
  }

  #tunable(): TunableNode | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('tunable')) return undefined;
      const name = this.#name();
      const value = name && this.#number();
      return name && value && { kind: 'tunable', name, value };
    });
  }

  #device(): DeviceNode | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('device')) return undefined;
      const id = this.#number();
      const name = id && this.#name();
      return id && name && { kind: 'device', id, name, ...this.#className() };
    });
  }

  #type(): TypeNode | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('type')) return undefined;
      const id = this.#number();
      const name = id && this.#name();
      return id && name && { kind: 'type', id, name };
    });
  }

  /** The optional `class hdd` behind several things. */
  #className(): { className?: Word } {
    const className = this.#attempt(() => (this.#keyword('class') ? this.#name() : undefined));
    return className === undefined ? {} : { className };
  }

  #bucket(): BucketNode | undefined {
    return this.#attempt(() => {
      const type = this.#name('a bucket type');
      const name = type && this.#name();
      if (type === undefined || name === undefined || !this.#keyword('{')) return undefined;
      const ids = this.#all(() => this.#bucketId());
      const algorithm = this.#keyword('alg') ? this.#name('an algorithm') : undefined;
      if (algorithm === undefined) return undefined;
      const hashes = this.#all(() => this.#hash());
      const items = this.#all(() => this.#item());
      if (!this.#keyword('}')) return undefined;
      return { kind: 'bucket', type, name, ids, algorithm, hashes, items };
    });
  }

  #bucketId(): BucketIdNode | undefined {
    return this.#attempt(() => {
      const id = this.#keyword('id') ? this.#negative() : undefined;
      return id && { id, ...this.#className() };
    });
  }

  #hash(): Word | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('hash')) return undefined;
      return this.#integer() ?? this.#keywordWord('rjenkins1');
    });
  }

  #item(): ItemNode | undefined {
    return this.#attempt(() => {
      const name = this.#keyword('item') ? this.#name('the name of an item') : undefined;
      if (name === undefined) return undefined;
      const weight = this.#attempt(() => (this.#keyword('weight') ? this.#real() : undefined));
      const position = this.#attempt(() => (this.#keyword('pos') ? this.#number() : undefined));
      return { name, ...(weight && { weight }), ...(position && { position }) };
    });
  }

  #rule(): RuleNode | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('rule')) return undefined;
      const name = this.#name();
      if (!this.#keyword('{')) return undefined;
      const id = this.#keyword('id') || this.#keyword('ruleset') ? this.#number() : undefined;
      const type = id && (this.#keyword('type') ? this.#ruleType() : undefined);
      if (id === undefined || type === undefined) return undefined;
      const minSize = this.#size('min_size');
      if (this.#grammar.needsSizes && minSize === undefined) return undefined;
      const maxSize = this.#size('max_size');
      if (this.#grammar.needsSizes && maxSize === undefined) return undefined;
      const steps = this.#all(() => this.#step());
      if (steps.length === 0 || !this.#keyword('}')) return undefined;
      return {
        kind: 'rule',
        ...(name && { name }),
        id,
        type,
        ...(minSize && { minSize }),
        ...(maxSize && { maxSize }),
        steps,
      };
    });
  }

  #ruleType(): Word | undefined {
    const types = this.#grammar.knowsMsr ? [...RULE_TYPES, ...MSR_RULE_TYPES] : RULE_TYPES;
    const type = types.find(([each]) => this.#keyword(each))?.[0];
    return type === undefined ? undefined : { text: type, at: this.#at - type.length };
  }

  #size(keyword: string): Word | undefined {
    return this.#attempt(() => (this.#keyword(keyword) ? this.#number() : undefined));
  }

  #step(): StepNode | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('step')) return undefined;
      return this.#take() ?? this.#set() ?? this.#choose() ?? this.#emit();
    });
  }

  #take(): StepNode | undefined {
    return this.#attempt(() => {
      const item = this.#keyword('take') ? this.#name('the name of a bucket') : undefined;
      return item && { kind: 'take', item, ...this.#className() };
    });
  }

  #set(): StepNode | undefined {
    const steps = this.#grammar.knowsMsr ? [...SET_STEPS, ...MSR_SET_STEPS] : SET_STEPS;
    return this.#attempt(() => {
      const name = steps.find(([each]) => this.#keyword(each))?.[0];
      const value = name === undefined ? undefined : this.#number();
      return name !== undefined && value && { kind: 'set', name, value };
    });
  }

  #choose(): StepNode | undefined {
    for (const keyword of ['choose', 'chooseleaf']) {
      const step = this.#attempt(() => {
        if (!this.#keyword(keyword)) return undefined;
        const mode = this.#keywordWord('indep') ?? this.#keywordWord('firstn');
        return mode && this.#chooseWhat(`${keyword} ${mode.text}`);
      });
      if (step !== undefined) return step;
    }
    if (!this.#grammar.knowsMsr) return undefined;
    return this.#attempt(() => (this.#keyword('choosemsr') ? this.#chooseWhat('choosemsr') : undefined));
  }

  #chooseWhat(name: string): StepNode | undefined {
    const count = this.#integer();
    const type = count && (this.#keyword('type') ? this.#name('a bucket type') : undefined);
    return count && type && { kind: 'choose', name, count, type };
  }

  #emit(): StepNode | undefined {
    return this.#keyword('emit') ? { kind: 'emit' } : undefined;
  }

  #chooseArgs(): ChooseArgsNode | undefined {
    return this.#attempt(() => {
      const index = this.#keyword('choose_args') ? this.#number() : undefined;
      if (index === undefined || !this.#keyword('{')) return undefined;
      const args = this.#all(() => this.#chooseArg());
      return this.#keyword('}') ? { kind: 'choose_args', index, args } : undefined;
    });
  }

  #chooseArg(): ChooseArgNode | undefined {
    return this.#attempt(() => {
      if (!this.#keyword('{') || !this.#keyword('bucket_id')) return undefined;
      const bucketId = this.#negative();
      if (bucketId === undefined) return undefined;
      const weightSet = this.#attempt(() =>
        this.#keyword('weight_set')
          ? this.#bracketed(() => this.#attempt(() => this.#bracketed(() => this.#real())))
          : undefined,
      );
      const ids = this.#attempt(() =>
        this.#keyword('ids') ? this.#bracketed(() => this.#integer()) : undefined,
      );
      if (!this.#keyword('}')) return undefined;
      return { bucketId, ...(weightSet && { weightSet }), ...(ids && { ids }) };
    });
  }

  #bracketed<T>(parse: () => T | undefined): T[] | undefined {
    if (!this.#keyword('[')) return undefined;
    const all = this.#all(parse);
    return this.#keyword(']') ? all : undefined;
  }

  /** As many as there are. */
  #all<T>(parse: () => T | undefined): T[] {
    const found: T[] = [];
    for (let next = parse(); next !== undefined; next = parse()) found.push(next);
    return found;
  }

  /** Goes back to the start where `parse` gives nothing. */
  #attempt<T>(parse: () => T | undefined | false): T | undefined {
    const start = this.#at;
    const found = parse();
    if (found !== undefined && found !== false) return found;
    this.#at = start;
    return undefined;
  }

  /** Offset of the next character that is neither white space nor in a comment. */
  #skipped(): number {
    const text = this.#text;
    let at = this.#at;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code === 32 || (code >= 9 && code <= 13)) continue;
      if (code !== HASH_SIGN) return at;
      const end = text.indexOf('\n', at);
      if (end === -1) return text.length;
      at = end;
    }
  }

  #keyword(word: string): boolean {
    const start = this.#skipped();
    if (this.#text.startsWith(word, start)) {
      this.#at = start + word.length;
      return true;
    }
    this.#miss(start, `'${word}'`);
    return false;
  }

  #keywordWord(word: string): Word | undefined {
    return this.#keyword(word) ? { text: word, at: this.#at - word.length } : undefined;
  }

  #name(what = 'a name'): Word | undefined {
    const start = this.#skipped();
    let end = start;
    while (isNameCharacter(this.#text.charCodeAt(end))) end++;
    return this.#word(start, end, what);
  }

  #number(): Word | undefined {
    const start = this.#skipped();
    return this.#word(start, this.#digitsFrom(start), 'a number');
  }

  #negative(): Word | undefined {
    const start = this.#skipped();
    const end = this.#text.charCodeAt(start) === MINUS ? this.#digitsFrom(start + 1) : start;
    return this.#word(start, end === start + 1 ? start : end, 'a negative number, the id of a bucket');
  }

  #integer(): Word | undefined {
    const start = this.#skipped();
    const digits = this.#text.charCodeAt(start) === MINUS ? start + 1 : start;
    const end = this.#digitsFrom(digits);
    return this.#word(start, end === digits ? start : end, 'a number');
  }

  /** A decimal number: sign, digits, point, digits, exponent; no exponent without digits. */
  #real(): Word | undefined {
    const start = this.#skipped();
    const end = this.#realFrom(start);
    return this.#word(start, end, 'a weight');
  }

  #realFrom(start: number): number {
    const text = this.#text;
    const whole = isSign(text.charCodeAt(start)) ? start + 1 : start;
    let end = this.#digitsFrom(whole);
    let hasDigits = end > whole;
    if (this.#isTooLong(whole, end)) return start;
    if (text.charCodeAt(end) === POINT) {
      const fraction = end + 1;
      const fractionEnd = this.#digitsFrom(fraction);
      if (this.#isTooLong(fraction, fractionEnd)) return start;
      hasDigits ||= fractionEnd > fraction;
      end = fractionEnd;
    }
    if (!hasDigits) return start;
    if ((text.charCodeAt(end) | 0x20) !== SMALL_E) return end;
    const exponent = isSign(text.charCodeAt(end + 1)) ? end + 2 : end + 1;
    const exponentEnd = this.#digitsFrom(exponent);
    return exponentEnd > exponent ? exponentEnd : start;
  }

  #isTooLong(start: number, end: number): boolean {
    if (end - start <= MOST_DIGITS) return false;
    return this.#text.slice(start, end).replace(/^0+/, '').length > MOST_DIGITS;
  }

  #digitsFrom(start: number): number {
    let end = start;
    while (isDigit(this.#text.charCodeAt(end))) end++;
    return end;
  }

  /** Takes what stands between the offsets; where nothing does, `what` is missing. */
  #word(start: number, end: number, what: string): Word | undefined {
    if (end > start) {
      this.#at = end;
      return { text: this.#text.slice(start, end), at: start };
    }
    this.#miss(start, what);
    return undefined;
  }

  #miss(at: number, what: string): void {
    if (at < this.#farthest) return;
    if (at > this.#farthest) this.#expected.clear();
    this.#farthest = at;
    this.#expected.add(what);
  }
}

const HASH_SIGN = 0x23;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const UNDERSCORE = 0x5f;
const SMALL_E = 0x65;

function isSign(code: number): boolean {
  return code === MINUS || code === PLUS;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNameCharacter(code: number): boolean {
  const small = code | 0x20;
  return (
    (small >= 0x61 && small <= 0x7a && code < 0x80) ||
    isDigit(code) ||
    code === POINT ||
    code === MINUS ||
    code === UNDERSCORE
  );
}
