/** Numbers in the text of CRUSH maps, as the C code of Ceph's compiler takes them on x86. */

const INT64_MIN = -(1n << 63n);
const INT64_MAX = (1n << 63n) - 1n;
const MOST_INT64_DIGITS = 19;

/** An `int` from decimal digits: `strtol`, which stops at 64 bits, and of that the lower 32. */
export function intOf(digits: string): number {
  if (digits.length < 10) return Number(digits) | 0;
  const significant = digits.replace(/^-?0*/, '');
  // A number too long for 64 bits is not worth the time that a great BigInt takes.
  const magnitude = significant.length > MOST_INT64_DIGITS ? INT64_MAX + 1n : BigInt(significant);
  const value = clamp(digits.startsWith('-') ? -magnitude : magnitude);
  return Number(BigInt.asIntN(32, value));
}

/**
 * A 16.16 weight from a decimal number: a 32-bit float times 65536, cut to 64 bits and of those the lower 32, as x86
 * does; what does not fit in 64 bits becomes 0.
 */
export function weightOf(decimal: string): number {
  const whole = Math.trunc(Math.fround(nearestFloat(decimal) * 0x10000));
  if (whole >= 0 && whole <= 0xffff_ffff) return whole;
  if (!(Math.abs(whole) < 2 ** 63)) return 0;
  return Number(BigInt.asUintN(32, BigInt(whole)));
}

function clamp(value: bigint): bigint {
  if (value > INT64_MAX) return INT64_MAX;
  return value < INT64_MIN ? INT64_MIN : value;
}

/**
 * The 32-bit float nearest to a decimal number (`strtof`). Rounding twice, to a double and then to a float, is wrong
 * only where the double lies halfway between two floats and the decimal does not.
 */
function nearestFloat(decimal: string): number {
  const double = Number(decimal);
  const float = Math.fround(double);
  if (!Number.isFinite(float) || !isHalfway(double)) return float;
  const other = neighbour(float, double > float);
  const side = compare(decimal, double);
  if (side === 0) return float;
  return side > 0 ? Math.max(float, other) : Math.min(float, other);
}

const scratch = new DataView(new ArrayBuffer(8));

/** Whether a double lies halfway between two floats: of the 29 bits that a float lacks, the first alone is set. */
function isHalfway(double: number): boolean {
  scratch.setFloat64(0, double);
  return (scratch.getUint32(4) & 0x1fff_ffff) === 0x1000_0000;
}

/** The next float above or below. */
function neighbour(float: number, above: boolean): number {
  const bits = new Int32Array(Float32Array.of(float).buffer);
  const away = above === float > 0 || float === 0;
  bits[0] = (bits[0] ?? 0) + (away ? 1 : -1);
  return new Float32Array(bits.buffer)[0] ?? 0;
}

/** Below 0, 0 or above 0, as the decimal number is below, at or above the double. */
function compare(decimal: string, double: number): number {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(decimal) ?? [];
  const power = Number(exponent) - fraction.length;
  const magnitude = BigInt(`${whole}${fraction}` || '0');
  // The double has at most 1074 binary places: times 2^1074 it is whole.
  const scaled = magnitude << 1074n;
  const exact = wholeDouble(Math.abs(double));
  const left = power < 0 ? scaled : scaled * 10n ** BigInt(power);
  const right = power < 0 ? exact * 10n ** BigInt(-power) : exact;
  const order = left === right ? 0 : left > right ? 1 : -1;
  return sign === '-' ? -order : order;
}

/** A double, not below 0, times 2^1074. */
function wholeDouble(double: number): bigint {
  const bits = new BigUint64Array(Float64Array.of(double).buffer)[0] ?? 0n;
  const exponent = bits >> 52n;
  const fraction = bits & ((1n << 52n) - 1n);
  return exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
}
