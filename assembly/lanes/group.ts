/*
 * Eight draws at a time: two vectors of four tasks each, two items of every task in one pass, so that four hashes are
 * interleaved whatever the size of the buckets.
 *
 *                  lanes of vector A          lanes of vector B
 *     task         0     1     2     3        4     5     6     7
 *     item 0       a0 -= b0 + h0 ...          a2 -= b2 + h2 ...
 *     item 1       a1 -= b1 + h1 ...          a3 -= b3 + h3 ...
 *
 * Each lane keeps its own least and second least score, so nothing is reduced across lanes.
 */
import { word } from '../context';
import { T_STRIDE } from '../layout';
import { trace, traceDrawOf } from '../trace';
import { left, right, SEED, X, Y } from './mix';
import { boundLanes, drawExactly, scoreOf, tableIds, tableInverses, tableItems, threshold } from './draw';

/** Tasks of a group. */
export const GROUP = 8;
/** Most items of a bucket that is drawn in a group. */
export const GROUP_ITEMS = 64;
/** Most items of the bucket that all descents begin with. */
export const ROOT_ITEMS = 512;

/* Of each item: the ids of four tasks and their 1 / weight; then the hashes of vector A and B. */
const COLUMN_BYTES: usize = 32;
const columnsA: usize = memory.data(64 * 32, 16);
const columnsB: usize = memory.data(64 * 32, 16);
const rootColumns: usize = memory.data(512 * 32, 16);
const hashesA: usize = memory.data(512 * 16, 16);
const hashesB: usize = memory.data(512 * 16, 16);
/** The second least score and the index of the least, of vector A and of vector B. */
const found: usize = memory.data(64, 16);

/** The lane tables, x and r of the eight tasks. */
const tables: usize = memory.data(32, 16);
const xs: usize = memory.data(32, 16);
const rs: usize = memory.data(32, 16);

/**
 * Draws the eight tasks at `tasks`, 16 bytes each, which begin with a lane table, x and r. The lane tables are all of
 * one stride and of at most `count` items, an even number. The items are written to `out`.
 */
export function drawGroup(tasks: usize, count: i32, out: usize): void {
  takeApart(tasks, 0);
  takeApart(tasks + 64, 16);
  transpose(tables, count, columnsA);
  transpose(tables + 16, count, columnsB);
  drawColumns(columnsA, columnsB, count);
  settleVector(tables, hashesA, found, out);
  settleVector(tables + 16, hashesB, found + 32, out + 16);
}

/** As drawGroup for tasks that are all at the table given to `enterRoot`. */
export function drawRoot(tasks: usize, count: i32, out: usize): void {
  takeApart(tasks, 0);
  takeApart(tasks + 64, 16);
  drawColumns(rootColumns, rootColumns, count);
  settleVector(tables, hashesA, found, out);
  settleVector(tables + 16, hashesB, found + 32, out + 16);
}

/** Lays out the table that `drawRoot` draws from. */
export function enterRoot(table: usize): void {
  const ids = tableIds(table);
  const inverses = tableInverses(table);
  const end = rootColumns + <usize>word(table, T_STRIDE) * COLUMN_BYTES;
  let at: usize = 0;
  for (let column = rootColumns; column < end; column += COLUMN_BYTES, at += 4) {
    v128.store(column, v128.load32_splat(ids + at));
    v128.store(column, v128.load32_splat(inverses + at), 16);
  }
}

/** The heads of four tasks into the vectors of tables, x and r. */
// @ts-ignore: decorator
@inline
function takeApart(tasks: usize, offset: usize): void {
  const a = v128.load(tasks);
  const b = v128.load(tasks, 16);
  const c = v128.load(tasks, 32);
  const d = v128.load(tasks, 48);
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  v128.store(tables + offset, v128.shuffle<i64>(ab, cd, 0, 2));
  v128.store(xs + offset, v128.shuffle<i64>(ab, cd, 1, 3));
  const rab = v128.shuffle<i32>(a, b, 2, 6, 2, 6);
  const rcd = v128.shuffle<i32>(c, d, 2, 6, 2, 6);
  v128.store(rs + offset, v128.shuffle<i64>(rab, rcd, 0, 2));
}

/** The items of four tables, a row each, as columns. */
function transpose(tables: usize, count: i32, columns: usize): void {
  const table0 = load<usize>(tables);
  const table1 = load<usize>(tables, 4);
  const table2 = load<usize>(tables, 8);
  const table3 = load<usize>(tables, 12);
  const toInverses = tableInverses(table0) - tableIds(table0);
  const ids0 = tableIds(table0);
  const ids1 = tableIds(table1);
  const ids2 = tableIds(table2);
  const ids3 = tableIds(table3);
  const end = (<usize>((count + 3) & ~3)) << 2;
  for (let at: usize = 0; at < end; at += 16, columns += 4 * COLUMN_BYTES) {
    transpose4(ids0 + at, ids1 + at, ids2 + at, ids3 + at, columns);
    const from = at + toInverses;
    transpose4(ids0 + from, ids1 + from, ids2 + from, ids3 + from, columns + 16);
  }
}

// @ts-ignore: decorator
@inline
function transpose4(from0: usize, from1: usize, from2: usize, from3: usize, columns: usize): void {
  const a = v128.load(from0);
  const b = v128.load(from1);
  const c = v128.load(from2);
  const d = v128.load(from3);
  const ab = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  const abHigh = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cdHigh = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(columns, v128.shuffle<i64>(ab, cd, 0, 2));
  v128.store(columns, v128.shuffle<i64>(ab, cd, 1, 3), 32);
  v128.store(columns, v128.shuffle<i64>(abHigh, cdHigh, 0, 2), 64);
  v128.store(columns, v128.shuffle<i64>(abHigh, cdHigh, 1, 3), 96);
}

/** Hashes and scores the columns of both vectors, two items a pass; what it finds is left in `found`. */
// prettier-ignore
function drawColumns(columnA: usize, columnB: usize, count: i32): void {
  const xA = v128.load(xs), xB = v128.load(xs, 16);
  const rA = v128.load(rs), rB = v128.load(rs, 16);
  const seedA = v128.xor(v128.xor(i32x4.splat(SEED), xA), rA);
  const seedB = v128.xor(v128.xor(i32x4.splat(SEED), xB), rB);
  const low = i32x4.splat(0xffff);
  let leastA = f32x4.splat(Infinity), secondA = leastA, indexA = i32x4.splat(0);
  let leastB = leastA, secondB = leastA, indexB = indexA;
  let hashA = hashesA, hashB = hashesB;
  for (let i = 0; i < count; i += 2) {
    let a0 = xA, b0 = v128.load(columnA), c0 = rA, X0 = i32x4.splat(X), Y0 = i32x4.splat(Y);
    let a1 = xA, b1 = v128.load(columnA, 32), c1 = rA, X1 = i32x4.splat(X), Y1 = i32x4.splat(Y);
    let a2 = xB, b2 = v128.load(columnB), c2 = rB, X2 = i32x4.splat(X), Y2 = i32x4.splat(Y);
    let a3 = xB, b3 = v128.load(columnB, 32), c3 = rB, X3 = i32x4.splat(X), Y3 = i32x4.splat(Y);
    let h0 = v128.xor(seedA, b0), h1 = v128.xor(seedA, b1), h2 = v128.xor(seedB, b2), h3 = v128.xor(seedB, b3);
    a0 = right(a0, b0, h0, 13), a1 = right(a1, b1, h1, 13), a2 = right(a2, b2, h2, 13), a3 = right(a3, b3, h3, 13);
    b0 = left(b0, h0, a0, 8), b1 = left(b1, h1, a1, 8), b2 = left(b2, h2, a2, 8), b3 = left(b3, h3, a3, 8);
    h0 = right(h0, a0, b0, 13), h1 = right(h1, a1, b1, 13), h2 = right(h2, a2, b2, 13), h3 = right(h3, a3, b3, 13);
    a0 = right(a0, b0, h0, 12), a1 = right(a1, b1, h1, 12), a2 = right(a2, b2, h2, 12), a3 = right(a3, b3, h3, 12);
    b0 = left(b0, h0, a0, 16), b1 = left(b1, h1, a1, 16), b2 = left(b2, h2, a2, 16), b3 = left(b3, h3, a3, 16);
    h0 = right(h0, a0, b0, 5), h1 = right(h1, a1, b1, 5), h2 = right(h2, a2, b2, 5), h3 = right(h3, a3, b3, 5);
    a0 = right(a0, b0, h0, 3), a1 = right(a1, b1, h1, 3), a2 = right(a2, b2, h2, 3), a3 = right(a3, b3, h3, 3);
    b0 = left(b0, h0, a0, 10), b1 = left(b1, h1, a1, 10), b2 = left(b2, h2, a2, 10), b3 = left(b3, h3, a3, 10);
    h0 = right(h0, a0, b0, 15), h1 = right(h1, a1, b1, 15), h2 = right(h2, a2, b2, 15), h3 = right(h3, a3, b3, 15);
    c0 = right(c0, X0, h0, 13), c1 = right(c1, X1, h1, 13), c2 = right(c2, X2, h2, 13), c3 = right(c3, X3, h3, 13);
    X0 = left(X0, h0, c0, 8), X1 = left(X1, h1, c1, 8), X2 = left(X2, h2, c2, 8), X3 = left(X3, h3, c3, 8);
    h0 = right(h0, c0, X0, 13), h1 = right(h1, c1, X1, 13), h2 = right(h2, c2, X2, 13), h3 = right(h3, c3, X3, 13);
    c0 = right(c0, X0, h0, 12), c1 = right(c1, X1, h1, 12), c2 = right(c2, X2, h2, 12), c3 = right(c3, X3, h3, 12);
    X0 = left(X0, h0, c0, 16), X1 = left(X1, h1, c1, 16), X2 = left(X2, h2, c2, 16), X3 = left(X3, h3, c3, 16);
    h0 = right(h0, c0, X0, 5), h1 = right(h1, c1, X1, 5), h2 = right(h2, c2, X2, 5), h3 = right(h3, c3, X3, 5);
    c0 = right(c0, X0, h0, 3), c1 = right(c1, X1, h1, 3), c2 = right(c2, X2, h2, 3), c3 = right(c3, X3, h3, 3);
    X0 = left(X0, h0, c0, 10), X1 = left(X1, h1, c1, 10), X2 = left(X2, h2, c2, 10), X3 = left(X3, h3, c3, 10);
    h0 = right(h0, c0, X0, 15), h1 = right(h1, c1, X1, 15), h2 = right(h2, c2, X2, 15), h3 = right(h3, c3, X3, 15);
    Y0 = right(Y0, a0, h0, 13), Y1 = right(Y1, a1, h1, 13), Y2 = right(Y2, a2, h2, 13), Y3 = right(Y3, a3, h3, 13);
    a0 = left(a0, h0, Y0, 8), a1 = left(a1, h1, Y1, 8), a2 = left(a2, h2, Y2, 8), a3 = left(a3, h3, Y3, 8);
    h0 = right(h0, Y0, a0, 13), h1 = right(h1, Y1, a1, 13), h2 = right(h2, Y2, a2, 13), h3 = right(h3, Y3, a3, 13);
    Y0 = right(Y0, a0, h0, 12), Y1 = right(Y1, a1, h1, 12), Y2 = right(Y2, a2, h2, 12), Y3 = right(Y3, a3, h3, 12);
    a0 = left(a0, h0, Y0, 16), a1 = left(a1, h1, Y1, 16), a2 = left(a2, h2, Y2, 16), a3 = left(a3, h3, Y3, 16);
    h0 = right(h0, Y0, a0, 5), h1 = right(h1, Y1, a1, 5), h2 = right(h2, Y2, a2, 5), h3 = right(h3, Y3, a3, 5);
    Y0 = right(Y0, a0, h0, 3), Y1 = right(Y1, a1, h1, 3), Y2 = right(Y2, a2, h2, 3), Y3 = right(Y3, a3, h3, 3);
    a0 = left(a0, h0, Y0, 10), a1 = left(a1, h1, Y1, 10), a2 = left(a2, h2, Y2, 10), a3 = left(a3, h3, Y3, 10);
    h0 = right(h0, Y0, a0, 15), h1 = right(h1, Y1, a1, 15), h2 = right(h2, Y2, a2, 15), h3 = right(h3, Y3, a3, 15);
    b0 = right(b0, X0, h0, 13), b1 = right(b1, X1, h1, 13), b2 = right(b2, X2, h2, 13), b3 = right(b3, X3, h3, 13);
    X0 = left(X0, h0, b0, 8), X1 = left(X1, h1, b1, 8), X2 = left(X2, h2, b2, 8), X3 = left(X3, h3, b3, 8);
    h0 = right(h0, b0, X0, 13), h1 = right(h1, b1, X1, 13), h2 = right(h2, b2, X2, 13), h3 = right(h3, b3, X3, 13);
    b0 = right(b0, X0, h0, 12), b1 = right(b1, X1, h1, 12), b2 = right(b2, X2, h2, 12), b3 = right(b3, X3, h3, 12);
    X0 = left(X0, h0, b0, 16), X1 = left(X1, h1, b1, 16), X2 = left(X2, h2, b2, 16), X3 = left(X3, h3, b3, 16);
    h0 = right(h0, b0, X0, 5), h1 = right(h1, b1, X1, 5), h2 = right(h2, b2, X2, 5), h3 = right(h3, b3, X3, 5);
    b0 = right(b0, X0, h0, 3), b1 = right(b1, X1, h1, 3), b2 = right(b2, X2, h2, 3), b3 = right(b3, X3, h3, 3);
    X0 = left(X0, h0, b0, 10), X1 = left(X1, h1, b1, 10), X2 = left(X2, h2, b2, 10), X3 = left(X3, h3, b3, 10);
    h0 = right(h0, b0, X0, 15), h1 = right(h1, b1, X1, 15), h2 = right(h2, b2, X2, 15), h3 = right(h3, b3, X3, 15);
    Y0 = right(Y0, c0, h0, 13), Y1 = right(Y1, c1, h1, 13), Y2 = right(Y2, c2, h2, 13), Y3 = right(Y3, c3, h3, 13);
    c0 = left(c0, h0, Y0, 8), c1 = left(c1, h1, Y1, 8), c2 = left(c2, h2, Y2, 8), c3 = left(c3, h3, Y3, 8);
    h0 = right(h0, Y0, c0, 13), h1 = right(h1, Y1, c1, 13), h2 = right(h2, Y2, c2, 13), h3 = right(h3, Y3, c3, 13);
    Y0 = right(Y0, c0, h0, 12), Y1 = right(Y1, c1, h1, 12), Y2 = right(Y2, c2, h2, 12), Y3 = right(Y3, c3, h3, 12);
    c0 = left(c0, h0, Y0, 16), c1 = left(c1, h1, Y1, 16), c2 = left(c2, h2, Y2, 16), c3 = left(c3, h3, Y3, 16);
    h0 = right(h0, Y0, c0, 5), h1 = right(h1, Y1, c1, 5), h2 = right(h2, Y2, c2, 5), h3 = right(h3, Y3, c3, 5);
    Y0 = right(Y0, c0, h0, 3), Y1 = right(Y1, c1, h1, 3), Y2 = right(Y2, c2, h2, 3), Y3 = right(Y3, c3, h3, 3);
    c0 = left(c0, h0, Y0, 10), c1 = left(c1, h1, Y1, 10), c2 = left(c2, h2, Y2, 10), c3 = left(c3, h3, Y3, 10);
    h0 = right(h0, Y0, c0, 15), h1 = right(h1, Y1, c1, 15), h2 = right(h2, Y2, c2, 15), h3 = right(h3, Y3, c3, 15);
    h0 = v128.and(h0, low), h1 = v128.and(h1, low), h2 = v128.and(h2, low), h3 = v128.and(h3, low);
    v128.store(hashA, h0), v128.store(hashA, h1, 16), v128.store(hashB, h2), v128.store(hashB, h3, 16);

    // A pad's score is no number, which none of these comparisons lets through.
    const item = i32x4.splat(i), next = i32x4.splat(i + 1);
    const score0 = scoreOf(h0, v128.load(columnA, 16));
    const score1 = scoreOf(h1, v128.load(columnA, 48));
    const score2 = scoreOf(h2, v128.load(columnB, 16));
    const score3 = scoreOf(h3, v128.load(columnB, 48));
    indexA = v128.bitselect(item, indexA, f32x4.lt(score0, leastA));
    secondA = f32x4.pmin(secondA, f32x4.pmax(score0, leastA));
    leastA = f32x4.pmin(leastA, score0);
    indexB = v128.bitselect(item, indexB, f32x4.lt(score2, leastB));
    secondB = f32x4.pmin(secondB, f32x4.pmax(score2, leastB));
    leastB = f32x4.pmin(leastB, score2);
    indexA = v128.bitselect(next, indexA, f32x4.lt(score1, leastA));
    secondA = f32x4.pmin(secondA, f32x4.pmax(score1, leastA));
    leastA = f32x4.pmin(leastA, score1);
    indexB = v128.bitselect(next, indexB, f32x4.lt(score3, leastB));
    secondB = f32x4.pmin(secondB, f32x4.pmax(score3, leastB));
    leastB = f32x4.pmin(leastB, score3);
    columnA += 2 * COLUMN_BYTES, columnB += 2 * COLUMN_BYTES, hashA += 32, hashB += 32;
  }
  v128.store(found, secondA), v128.store(found, indexA, 16);
  v128.store(found, secondB, 32), v128.store(found, indexB, 48);
}

/** The items of four tasks: those of least score, unless a second comes so near that both are drawn exactly. */
function settleVector(tables: usize, hashes: usize, at: usize, out: usize): void {
  const table0 = load<usize>(tables);
  const table1 = load<usize>(tables, 4);
  const table2 = load<usize>(tables, 8);
  const table3 = load<usize>(tables, 12);
  const index0 = load<usize>(at, 16);
  const index1 = load<usize>(at, 20);
  const index2 = load<usize>(at, 24);
  const index3 = load<usize>(at, 28);
  const us = gather(
    hashes + (index0 << 4),
    hashes + (index1 << 4) + 4,
    hashes + (index2 << 4) + 8,
    hashes + (index3 << 4) + 12,
  );
  const inverses = gather(
    tableInverses(table0) + (index0 << 2),
    tableInverses(table1) + (index1 << 2),
    tableInverses(table2) + (index2 << 2),
    tableInverses(table3) + (index3 << 2),
  );
  store<i32>(out, load<i32>(tableItems(table0) + (index0 << 2)));
  store<i32>(out, load<i32>(tableItems(table1) + (index1 << 2)), 4);
  store<i32>(out, load<i32>(tableItems(table2) + (index2 << 2)), 8);
  store<i32>(out, load<i32>(tableItems(table3) + (index3 << 2)), 12);

  let close = i32x4.bitmask(f32x4.le(v128.load(at), boundLanes(us, inverses)));
  while (close) {
    const lane = (<usize>ctz(close)) << 2;
    close &= close - 1;
    const table = load<usize>(tables + lane);
    const index = load<usize>(at + lane, 16);
    const limit = threshold(
      load<i32>(hashes + (index << 4) + lane),
      load<f32>(tableInverses(table) + (index << 2)),
    );
    if (load<f32>(at + lane) > limit) continue;
    const winner = drawExactly(table, hashes + lane, 16, limit);
    store<i32>(out + lane, word(tableItems(table), winner));
    if (trace != 0) {
      // Whatever becomes of the winner, the draw is to be made again.
      store<f32>(at + lane, 0);
      store<i32>(at + lane, winner, 16);
    }
  }
  if (trace != 0) traceVector(tables, at, us, inverses);
}

/** Rows of the tasks of the group, which end with -1 where it is not full. */
export const groupRows: usize = memory.data(32, 16);
const traced: usize = memory.data(32, 16);

/** Notes the draws of four tasks; `tables` is the first vector of lane tables or the second. */
function traceVector(ofTables: usize, at: usize, us: v128, inverses: v128): void {
  v128.store(traced, us);
  v128.store(traced, inverses, 16);
  const offset = ofTables - tables;
  for (let lane: usize = 0; lane < 16; lane += 4) {
    const row = load<i32>(groupRows + offset + lane);
    if (row < 0) return;
    traceDrawOf(
      row,
      load<usize>(ofTables + lane),
      load<i32>(rs + offset + lane),
      load<i32>(at + lane, 16),
      threshold(load<i32>(traced + lane), load<f32>(traced + lane, 16)),
      load<f32>(at + lane),
    );
  }
}

// @ts-ignore: decorator
@inline
function gather(a: usize, b: usize, c: usize, d: usize): v128 {
  let lanes = v128.load32_zero(a);
  lanes = v128.load_lane<i32>(b, lanes, 1);
  lanes = v128.load_lane<i32>(c, lanes, 2);
  return v128.load_lane<i32>(d, lanes, 3);
}
