/** Numbers as people read them. */
import { WEIGHT_ONE } from '../../../src/crush/model.ts';

const WHOLE = new Intl.NumberFormat('en-US');
const ONE_DECIMAL = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A count, with its thousands apart. */
export function count(value: number): string {
  return WHOLE.format(value);
}

/** A number with one decimal, its thousands apart. */
export function decimal(value: number): string {
  return ONE_DECIMAL.format(value);
}

/** A count and its noun. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A 16.16 weight in units, which by custom are TiB. */
export function weight(fixed: number): string {
  return (fixed / WEIGHT_ONE).toFixed(fixed >= 100 * WEIGHT_ONE ? 1 : 3);
}

/** A part of a whole. */
export function percent(part: number, digits = 1): string {
  return Number.isFinite(part) ? `${(part * 100).toFixed(digits)} %` : '–';
}

/** A difference, with its sign. */
export function signed(value: number, digits = 0): string {
  const text = digits === 0 ? WHOLE.format(Math.abs(value)) : Math.abs(value).toFixed(digits);
  if (value === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** A PG's name. */
export function pgName(pool: number, seed: number): string {
  return `${pool}.${(seed >>> 0).toString(16)}`;
}
