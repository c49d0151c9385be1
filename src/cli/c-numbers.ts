/**
 * Numbers as C and C++ read them from text, for the drop-in tools: what follows the number is ignored, and each of
 * `atof`, `std::stod` and `std::stoi` has its own idea of what a number is.
 */

/** Why C++ throws instead of giving a number. */
export type NumberFailure = 'invalid' | 'out-of-range';

/** The least double that keeps all its digits (`DBL_MIN`); `strtod` complains about less. */
const SMALLEST_NORMAL = 2.2250738585072014e-308;

/** Hexadecimal digits of a number that are looked at one by one. */
const KEPT_DIGITS = 20;

const DOUBLE =
  /^[ \t\n\v\f\r]*([+-]?)(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)|((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)|(inf)|(nan))/i;

/**
 * The number a text begins with, or 0 if it begins with none (`atof`). Decimal, hexadecimal (`0x1.8p3`), `inf` and
 * `nan`.
 */
export function atof(text: string): number {
  return parseDouble(text)?.value ?? 0;
}

/** The number a text begins with, as {@link atof}; what cannot be one, or not exactly enough, fails (`std::stod`). */
export function stod(text: string): number | NumberFailure {
  const parsed = parseDouble(text);
  if (parsed === undefined) return 'invalid';
  return parsed.inRange ? parsed.value : 'out-of-range';
}

/** The decimal 32-bit integer a text begins with (`std::stoi`). */
export function stoi(text: string): number | NumberFailure {
  const digits = /^[ \t\n\v\f\r]*([+-]?[0-9]+)/.exec(text)?.[1];
  if (digits === undefined) return 'invalid';
  const value = Number(digits);
  return value === (value | 0) ? value | 0 : 'out-of-range';
}

/** A double as the C code of x86 turns it into an `int`: cut to an integer, INT_MIN for what does not fit. */
export function intOfDouble(value: number): number {
  const whole = Math.trunc(value);
  return whole >= -0x80000000 && whole <= 0x7fffffff ? whole | 0 : -0x80000000;
}

function parseDouble(text: string): { value: number; inRange: boolean } | undefined {
  const match = DOUBLE.exec(text);
  if (match === null) return undefined;
  const [, sign, hexadecimal, decimal, infinite] = match;
  const digits = hexadecimal ?? decimal;
  let size = infinite === undefined ? NaN : Infinity;
  let inRange = true;
  if (digits !== undefined) {
    size = hexadecimal === undefined ? Number(digits) : hexadecimalDouble(hexadecimal);
    const isZero = !/[1-9a-f]/i.test(digits.replace(/^0x/i, '').replace(/[ep][+-]?[0-9]+$/i, ''));
    inRange = isZero || (size >= SMALLEST_NORMAL && size !== Infinity);
  }
  return { value: sign === '-' ? -size : size, inRange };
}

/** The value of `0x`, digits with or without a point, and an exponent of two. */
function hexadecimalDouble(text: string): number {
  const [digits = '', exponent = '0'] = text.slice(2).toLowerCase().split('p');
  const [whole = '', fraction = ''] = digits.split('.');
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  if (all === '') return 0;
  // One whole number, which rounds to a double as it should. Of digits beyond those that a double has room for it
  // only matters whether there are any.
  const rest = all.slice(KEPT_DIGITS);
  let value = Number(BigInt(`0x${all.slice(0, KEPT_DIGITS)}${/[^0]/.test(rest) ? 1 : 0}`));
  let shift = Number(exponent) + 4 * (rest.length - 1 - fraction.length);
  // In steps, since the power alone may be out of range where the product is not.
  for (; shift > 1000 && value !== Infinity; shift -= 1000) value *= 2 ** 1000;
  for (; shift < -1000 && value !== 0; shift += 1000) value *= 2 ** -1000;
  return value === 0 || value === Infinity ? value : value * 2 ** shift;
}
