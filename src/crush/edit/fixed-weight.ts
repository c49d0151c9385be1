/**
 * Weights as Ceph's tools compute with them: 32-bit floats in units, 16.16 fixed point in the map. Conversions are
 * those of C on x86-64, where numbers that do not fit become the lowest one there is.
 */
import { CrushError } from '../../errors.ts';
import { WEIGHT_ONE } from '../model.ts';

const LOWEST_INT = -0x8000_0000;

/**
 * 16.16 of a weight in units: times 65536 as a 32-bit float, cut to a signed 32-bit integer.
 *
 * @throws CrushError `bad-argument`: below 0, 32768 or more, not a number. As in Ceph, what is too great even for
 *   64 bits passes and becomes -32768 (`CrushWrapper::validate_weightf`).
 */
export function fixedWeight(weight: number): number {
  const scaled = Math.fround(Math.fround(weight) * WEIGHT_ONE);
  const fits = (scaled > -1 && scaled < 0x8000_0000) || scaled >= 2 ** 64;
  if (fits) return cut(scaled);
  throw new CrushError(
    'bad-argument',
    `a weight of ${weight} is out of range; give one of 0 to 32767.9999`,
    {},
    'EOVERFLOW',
  );
}

/** 16.16 of a weight in units, unchecked. */
export function cutWeight(weight: number): number {
  return cut(Math.fround(Math.fround(weight) * WEIGHT_ONE));
}

/** A signed 16.16 weight in units, as a 32-bit float: it keeps 24 bits. */
export function floatWeight(fixed: number): number {
  return Math.fround(fixed) / WEIGHT_ONE;
}

function cut(value: number): number {
  return value > -0x8000_0001 && value < 0x8000_0000 ? Math.trunc(value) : LOWEST_INT;
}
