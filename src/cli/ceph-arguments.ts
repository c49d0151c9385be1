/**
 * Ceph's own way of reading a command line, for the drop-in tools: options anywhere, `-` and `_` alike in their
 * names, `--opt value` and `--opt=value`, and Ceph's words for a value that is missing or wrong. Follows Ceph's
 * src/common/ceph_argparse.cc and strtol.cc.
 */
import { CommandExit } from './io.ts';

/** A value as Ceph's parser leaves it: the value, and what it has to complain about (empty for nothing). */
export interface ParsedValue<T> {
  readonly value: T;
  readonly complaint: string;
}

/** A cursor over arguments; what it recognises is taken out, the rest stays for {@link rest}. */
export class CephArguments {
  readonly #args: string[];
  #at = 0;
  /** Text of earlier complaints, which Ceph's tools print together with the first that is fatal. */
  #complaints = '';

  constructor(args: readonly string[]) {
    this.#args = [...args];
  }

  /** Whether arguments are left to look at. */
  get more(): boolean {
    return this.#at < this.#args.length;
  }

  /** The argument under the cursor. */
  get current(): string {
    return this.#args[this.#at] ?? '';
  }

  /** The argument under the cursor without a value that hangs on it. */
  get currentName(): string {
    return this.current.replace(/=.*/s, '');
  }

  /** Whether no argument follows the one under the cursor. */
  get atLast(): boolean {
    return this.#at + 1 >= this.#args.length;
  }

  /** What was not recognised, in order. */
  get rest(): readonly string[] {
    return this.#args;
  }

  /** Everything complained about so far. */
  get complaints(): string {
    return this.#complaints;
  }

  /** Leaves the argument under the cursor where it is. */
  skip(): void {
    this.#at++;
  }

  /** Takes `--`, after which nothing is an option. */
  doubleDash(): boolean {
    if (this.current !== '--') return false;
    this.#args.splice(this.#at, 1);
    return true;
  }

  /** Takes an option without a value, by any of its names. */
  flag(names: readonly string[], apply: () => void): boolean {
    const given = underscored(this.current);
    if (!names.some((name) => underscored(name) === given)) return false;
    this.#args.splice(this.#at, 1);
    apply();
    return true;
  }

  /** Takes the next argument as it is, or gives undefined at the end. */
  take(): string | undefined {
    if (!this.more) return undefined;
    return this.#args.splice(this.#at, 1)[0];
  }

  /** Takes an option with a text value; one without a value ends the command, as in Ceph. */
  text(names: readonly string[], apply: (value: string) => void): boolean {
    const earlier = this.#complaints.length;
    const taken = this.#withValue(names);
    if (taken === undefined) return false;
    // Only this is said; what was complained of before is lost.
    if (taken === MISSING) throw new CommandExit(1, this.#complaints.slice(earlier));
    apply(taken);
    return true;
  }

  /** Takes an option with a text value; without one the value is empty and the complaint waits. */
  lenientText(names: readonly string[], apply: (value: string) => void): boolean {
    const taken = this.#withValue(names);
    if (taken === undefined) return false;
    apply(taken === MISSING ? '' : taken);
    return true;
  }

  /** Takes an option with a 32-bit integer; `apply` is not called when there is no value. */
  integer(names: readonly string[], apply: (value: number) => void): boolean {
    return this.#number(names, (text) => parseInteger(text), apply);
  }

  /** Takes an option with a 64-bit integer; `apply` is not called when there is no value. */
  longInteger(names: readonly string[], apply: (value: bigint) => void): boolean {
    return this.#number(names, (text) => parseLongInteger(text), apply);
  }

  /** Takes an option with a 32-bit float; `apply` is not called when there is no value. */
  float(names: readonly string[], apply: (value: number) => void): boolean {
    return this.#number(names, (text) => parseFloat32(text), apply);
  }

  /** Ends the command with everything complained about so far, if anything was. */
  failOnComplaint(): void {
    if (this.#complaints !== '') throw new CommandExit(1, `${this.#complaints}\n`);
  }

  #number<T>(
    names: readonly string[],
    parse: (text: string) => ParsedValue<T>,
    apply: (value: T) => void,
  ): boolean {
    const taken = this.#withValue(names);
    if (taken === undefined) return false;
    if (taken === MISSING) return true;
    const kind = valueKind(taken);
    // Ceph goes on with EXIT_FAILURE as the value where the caller does not stop at the complaint.
    const parsed = kind === 'number' ? parse(taken) : parse('1');
    if (kind === 'option') this.#complaints += 'Missing option value';
    else if (kind === 'text') this.#complaints += `The option value '${taken}' is invalid`;
    else this.#complaints += parsed.complaint;
    apply(parsed.value);
    return true;
  }

  #withValue(names: readonly string[]): string | typeof MISSING | undefined {
    const current = this.current;
    const equals = current.indexOf('=');
    const given = underscored(equals < 0 ? current : current.slice(0, equals));
    if (!names.some((name) => underscored(name) === given)) return undefined;
    if (equals >= 0) {
      this.#args.splice(this.#at, 1);
      return current.slice(equals + 1);
    }
    if (this.atLast) {
      this.#complaints += `Option ${current} requires an argument.\n`;
      this.#args.splice(this.#at, 1);
      return MISSING;
    }
    return this.#args.splice(this.#at, 2)[1];
  }
}

const MISSING = Symbol('missing');

/** The least float that keeps all its digits (`FLT_MIN`); `strtof` complains about less. */
const SMALLEST_FLOAT = 2 ** -126;

/** An option's name with the hyphens after its first two characters as underscores. */
function underscored(name: string): string {
  return name.slice(0, 2) + name.slice(2).replaceAll('-', '_');
}

/** How Ceph sees a value before it parses it as a number (`ceph_arg_value_type`). */
function valueKind(text: string): 'number' | 'option' | 'text' {
  const numeric = /^(?:-(?=.))?[0-9]*(?:\.[0-9]*)?$/.test(text);
  if (text.length >= 2 && text.startsWith('--')) return 'option';
  if (text.startsWith('-') && !numeric) return 'option';
  return numeric ? 'number' : 'text';
}

/** Parses a 32-bit integer (`strict_strtol`). */
export function parseInteger(text: string): ParsedValue<number> {
  const parsed = parseLongInteger(text);
  if (parsed.complaint !== '') return { value: 0, complaint: parsed.complaint };
  if (parsed.value < -0x80000000n || parsed.value > 0x7fffffffn) {
    return { value: 0, complaint: `The option value '${text}' seems to be invalid` };
  }
  return { value: Number(parsed.value), complaint: '' };
}

/** Parses a 32-bit float of digits and a point (`strict_strtof`). */
function parseFloat32(text: string): ParsedValue<number> {
  if (!/[0-9]/.test(text)) return { value: 0, complaint: `strict_strtof: expected float, got: '${text}'` };
  const value = Math.fround(Number(text));
  const isZero = !/[1-9]/.test(text);
  if (isZero || (Number.isFinite(value) && Math.abs(value) >= SMALLEST_FLOAT))
    return { value, complaint: '' };
  return { value: 0, complaint: `strict_strtof: floating point overflow or underflow parsing '${text}'` };
}

/** Parses a 64-bit integer (`strict_strtoll`). */
export function parseLongInteger(text: string): ParsedValue<bigint> {
  if (!/^[ \t\n\v\f\r]*[+-]?[0-9]+$/.test(text)) {
    return { value: 0n, complaint: `Expected option value to be integer, got '${text}'` };
  }
  const trimmed = text.trim();
  const value = trimmed.startsWith('-') ? -BigInt(trimmed.slice(1)) : BigInt(trimmed.replace('+', ''));
  if (value < -0x8000000000000000n || value > 0x7fffffffffffffffn) {
    return { value: 0n, complaint: `The option value '${text}' seems to be invalid` };
  }
  return { value, complaint: '' };
}
