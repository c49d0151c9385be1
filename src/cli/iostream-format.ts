/**
 * Numbers as a C++ output stream prints them by default (`%g` with six digits), and the other small pieces of
 * Ceph's text output that several commands share.
 */

/** Significant digits of a stream nobody configured. */
const DEFAULT_PRECISION = 6;

/** Significant digits that tell every double from its neighbours (`max_digits10`). */
const FULL_PRECISION = 17;

/**
 * A double as `std::cout << value` prints it.
 *
 * Zero divided by zero has its sign bit set on x86, where Ceph's tools run, and glibc prints it as `-nan`;
 * JavaScript cannot tell the two apart, so every NaN is printed that way.
 *
 * @example
 * ```ts
 * formatDouble(0.349991); // '0.349991'
 * formatDouble(1234567); // '1.23457e+06'
 * ```
 */
export function formatDouble(value: number): string {
  return formatGeneral(value, DEFAULT_PRECISION);
}

/** A double with all its digits, as Ceph's formatters print it. */
export function formatPrecise(value: number): string {
  return formatGeneral(value, FULL_PRECISION);
}

/** A `float` as `std::cout << value` prints it: rounded to 32 bits first. */
export function formatFloat(value: number): string {
  return formatDouble(Math.fround(value));
}

/** A 16.16 fixed-point weight as Ceph prints it: a `float` division by 0x10000. */
export function formatWeight(weight: number): string {
  return formatDouble(Math.fround(weight) / 0x10000);
}

/**
 * A signed 16.16 fixed-point weight as Ceph's tables have it (`weightf_t`): a `float` with five decimals, `0` for
 * next to nothing, and `-` for what is below.
 */
export function formatWeightFixed(weight: number): string {
  const rounded = Math.fround(weight);
  if (rounded / 0x10000 < -0.01) return '-';
  if (rounded / 0x10000 < 0.000001) return '0';
  // In whole numbers, which are exact; ties go to even as in glibc.
  const scaled = rounded * 100_000;
  const floor = Math.floor(scaled / 0x10000);
  const rest = scaled - floor * 0x10000;
  const isUp = rest > 0x8000 || (rest === 0x8000 && floor % 2 === 1);
  const digits = String(isUp ? floor + 1 : floor).padStart(6, '0');
  return `${digits.slice(0, -5)}.${digits.slice(-5)}`;
}

/** A list of numbers as Ceph prints a `vector<int>`: `[1,2,3]`. */
export function formatVector(values: ArrayLike<number>): string {
  return formatRow(values, 0, 0, values.length);
}

/** The first `length` values of row `row` of a column that is `width` wide, as {@link formatVector} does. */
export function formatRow(column: ArrayLike<number>, row: number, width: number, length: number): string {
  const start = row * width;
  let text = '[';
  for (let i = 0; i < length; i++) text += `${i === 0 ? '' : ','}${column[start + i] ?? ''}`;
  return `${text}]`;
}

/** A double as `printf` does with `%g`. */
function formatGeneral(value: number, precision: number): string {
  if (Number.isNaN(value)) return '-nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const { digits, exponent } = roundedDigits(Math.abs(value), precision);
  const sign = value < 0 ? '-' : '';
  if (exponent < -4 || exponent >= precision) {
    const power = Math.abs(exponent).toString().padStart(2, '0');
    return `${sign}${withPoint(digits, 1)}e${exponent < 0 ? '-' : '+'}${power}`;
  }
  if (exponent < 0) return `${sign}${withPoint('0'.repeat(-exponent) + digits, 1)}`;
  return `${sign}${withPoint(digits, exponent + 1)}`;
}

/** Decimal digits of a positive number rounded to `precision` of them, ties to even as glibc does. */
function roundedDigits(value: number, precision: number): { digits: string; exponent: number } {
  const rounded = value.toExponential(precision - 1);
  const [mantissa = '', power = '0'] = rounded.split('e');
  const digits = mantissa.replace('.', '');
  // JavaScript rounds an exact tie up. A tie has one more digit, a 5, and nothing after it; all digits are only
  // written out, which is slow, where that digit is a 5.
  if (!value.toExponential(precision).includes('5e')) return { digits, exponent: Number(power) };
  const exact = value.toExponential(100).replace('.', '').split('e')[0] ?? '';
  if (exact[precision] === '5' && /^0*$/.test(exact.slice(precision + 1))) {
    const lastKept = Number(exact[precision - 1]);
    if (lastKept % 2 === 0) {
      return { digits: exact.slice(0, precision), exponent: exponentOf(value) };
    }
  }
  return { digits, exponent: Number(power) };
}

function exponentOf(value: number): number {
  return Number(value.toExponential(100).split('e')[1]);
}

/** Digits with a point after the first `whole` of them and no trailing zeros. */
function withPoint(digits: string, whole: number): string {
  const fraction = digits.slice(whole).replace(/0+$/, '');
  const integer = digits.slice(0, whole);
  return fraction === '' ? integer : `${integer}.${fraction}`;
}
