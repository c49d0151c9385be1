/*
 * straw2 without a logarithm or a division for every item.
 *
 * The winner is the first item with the least floor(L / weight), L = 2^48 - crush_ln(u). With v = 65534 - u, a little
 * bent, f(v) = v * (1 + 0.52 v / 65536), it is L >= K * f(v) for every u, and nearly equal for great u. So the score
 * s = f(v) / weight in 32-bit floats bounds the draw from below: an item can beat or tie the one of least score, whose
 * L and weight are L* and w*, only if
 *
 *     s <= T = (L* / w* + 1) / K, with a little added for the rounding of the floats.
 *
 * Items are scored, and only where a second one lies within T, those within are drawn exactly, in order.
 */
import { crushLn } from '../ln';
import { T_ARRAYS, T_COUNT, T_STRIDE } from '../layout';
import { word } from '../context';
import { trace, traceDraw } from '../trace';

/** A little less than the greatest K with L >= K * f(65534 - u) for every u. */
const K: f64 = 387186468.0;
/** How f bends. */
const BEND: f32 = 0.52 / 65536.0;
/** Floats are off by less than 4e-7 of their value: ten times that. */
const ROUNDING: f64 = 1.000004;
/** 2^48. */
const LN_ONE: i64 = 0x1000000000000;

// @ts-ignore: decorator
@inline
function arrays(table: usize): usize {
  return table + (T_ARRAYS << 2);
}

// @ts-ignore: decorator
@inline
export function tableIds(table: usize): usize {
  return arrays(table);
}

/** Address of the items' 1 / weight. */
// @ts-ignore: decorator
@inline
export function tableInverses(table: usize): usize {
  return arrays(table) + ((<usize>word(table, T_STRIDE)) << 2);
}

// @ts-ignore: decorator
@inline
export function tableItems(table: usize): usize {
  return arrays(table) + ((<usize>word(table, T_STRIDE)) << 3);
}

// @ts-ignore: decorator
@inline
export function tableWeights(table: usize): usize {
  return arrays(table) + 3 * ((<usize>word(table, T_STRIDE)) << 2);
}

/** What a score must not exceed to matter, when the item of least score has hash u and this 1 / weight. */
export function threshold(u: i32, inverse: f32): f32 {
  const ln = <f64>(LN_ONE - crushLn(u));
  return <f32>((ln * <f64>inverse + 1.0) * (ROUNDING / K));
}

/** The scores of four items, given u and 1 / weight; a pad's is no number. */
// @ts-ignore: decorator
@inline
export function scoreOf(u: v128, inverse: v128): v128 {
  const above = f32x4.convert_i32x4_s(i32x4.sub(i32x4.splat(65534), u));
  return f32x4.mul(f32x4.mul(above, bend(above)), inverse);
}

/** 1 + 0.52 v / 65536. */
// @ts-ignore: decorator
@inline
function bend(above: v128): v128 {
  return f32x4.add(f32x4.splat(1.0), f32x4.mul(above, f32x4.splat(BEND)));
}

/*
 * T needs a logarithm. A bound above it does not: with y = v / 65536,
 *
 *     L / K <= f(v) * (1 + 0.42 y^2) + 2.2   for every v up to 32768.
 */
const BOUND_SQUARE: f32 = 0.42 / 65536.0 / 65536.0;
const BOUND_CONSTANT: f32 = 3.0;
const BOUND_ROUNDING: f32 = 1.00001;
/** The bound holds for (65534 - u) up to this. */
const BOUND_END: f32 = 32768.0;
/** One unit of the quotient, as a score. */
const BOUND_UNIT: f32 = <f32>(1.01 / K);

/** At least `threshold(u, inverse)`, without a logarithm; infinite where it does not hold. */
// @ts-ignore: decorator
@inline
function bound(u: i32, inverse: f32): f32 {
  const whole: i32 = 65534 - u;
  const above = <f32>whole;
  const bent = above * (<f32>1.0 + above * BEND);
  const series = bent * (<f32>1.0 + above * above * BOUND_SQUARE) + BOUND_CONSTANT;
  return select<f32>(series * inverse * BOUND_ROUNDING + BOUND_UNIT, Infinity, above <= BOUND_END);
}

/** `bound` in lanes. */
// @ts-ignore: decorator
@inline
export function boundLanes(u: v128, inverse: v128): v128 {
  const above = f32x4.convert_i32x4_s(i32x4.sub(i32x4.splat(65534), u));
  const bent = f32x4.mul(above, bend(above));
  const square = f32x4.mul(f32x4.mul(above, above), f32x4.splat(BOUND_SQUARE));
  const series = f32x4.add(f32x4.mul(bent, f32x4.add(f32x4.splat(1.0), square)), f32x4.splat(BOUND_CONSTANT));
  const limit = f32x4.add(
    f32x4.mul(f32x4.mul(series, inverse), f32x4.splat(BOUND_ROUNDING)),
    f32x4.splat(BOUND_UNIT),
  );
  return v128.bitselect(limit, f32x4.splat(Infinity), f32x4.le(above, f32x4.splat(BOUND_END)));
}

/**
 * The index of the item that wins among those whose score is at most `limit`, drawn exactly. The hash of item i is at
 * `hashes + i * pitch`.
 */
export function drawExactly(table: usize, hashes: usize, pitch: usize, limit: f32): i32 {
  const count = word(table, T_COUNT);
  const inverses = tableInverses(table);
  const weights = tableWeights(table);
  let best = 0;
  let bestDraw: f64 = Infinity;
  for (let i = 0; i < count; i++) {
    const u = load<i32>(hashes + <usize>i * pitch);
    const whole: i32 = 65534 - u;
    const above = <f32>whole;
    if (above * (<f32>1.0 + above * BEND) * load<f32>(inverses + ((<usize>i) << 2)) > limit) continue;
    const draw = floor<f64>(<f64>(LN_ONE - crushLn(u)) / <f64>word(weights, i));
    if (draw < bestDraw) {
      best = i;
      bestDraw = draw;
    }
  }
  return best;
}

/** A vector in memory, to pick a lane of. */
const offsets: usize = memory.data(16, 16);

/**
 * The item of a draw in lanes: in each lane the least score, the second least, and the offset of the least among the
 * table's vectors. The hashes are kept for a draw that is too close.
 */
// @ts-ignore: decorator
@inline
export function finishDraw(table: usize, r: i32, hashes: usize, least: v128, second: v128, at: v128): i32 {
  const inverses = tableInverses(table);
  // Across the lanes: the least of all in every lane, and the second least.
  let turned = v128.shuffle<i64>(least, least, 1, 0);
  let all = f32x4.pmin(least, turned);
  second = f32x4.pmin(f32x4.pmin(second, v128.shuffle<i64>(second, second, 1, 0)), f32x4.pmax(least, turned));
  turned = v128.shuffle<i32>(all, all, 1, 0, 3, 2);
  second = f32x4.pmin(
    f32x4.pmin(second, v128.shuffle<i32>(second, second, 1, 0, 3, 2)),
    f32x4.pmax(all, turned),
  );
  all = f32x4.pmin(all, turned);

  // Where several lanes hold the least, the second least is the same, and the draw below decides.
  const lane = (<usize>ctz(i32x4.bitmask(f32x4.eq(least, all)))) << 2;
  v128.store(offsets, at);
  const index = load<usize>(offsets + lane) + lane;
  const u = load<i32>(hashes + index);
  const inverse = load<f32>(inverses + index);
  let next = f32x4.extract_lane(second, 0);
  let winner = <i32>(index >> 2);
  let limit = bound(u, inverse);
  if (next <= limit) {
    limit = threshold(u, inverse);
    if (next <= limit) {
      winner = drawExactly(table, hashes, 4, limit);
      // Whatever becomes of the winner, the draw is to be made again.
      next = 0;
    }
  }
  if (trace != 0) traceDraw(table, r, winner, threshold(u, inverse), next);
  return word(tableItems(table), winner);
}
