/*
 * What the kernel gives to src/kernel/: pointers in, status numbers out. The flat map and the batch request are
 * described in layout.ts.
 */
import { hash1, hash2, hash3, hash4, hash5 } from './hash';
import { crushLn } from './ln';

export { mapBatch } from './batch';
export { initWorkspace, workspaceWords } from './context';
import { tasksWords } from './lanes/engine';
import { recheck as recheckLanes } from './lanes/recheck';

/** Hash of the first `count` (1 to 5) arguments. */
export function hash32(count: i32, a: i32, b: i32, c: i32, d: i32, e: i32): i32 {
  if (count == 1) return hash1(a);
  if (count == 2) return hash2(a, b);
  if (count == 3) return hash3(a, b, c);
  if (count == 4) return hash4(a, b, c, d);
  return hash5(a, b, c, d, e);
}

/** Writes crush_ln of 0 .. 65535 as 64-bit words to `out`. */
export function lnTable(out: usize): void {
  for (let u = 0; u < 65536; u++) store<i64>(out + ((<usize>u) << 3), crushLn(u));
}

/** First address of linear memory that the kernel does not use itself. */
export function heapStart(): usize {
  return __heap_base;
}

/** Whether this kernel draws in lanes. */
export function hasLanes(): bool {
  return ASC_FEATURE_SIMD;
}

/** Words of workspace for the task lanes, see Q_TASKS; 0 in a kernel without lanes. */
export function taskLaneWords(map: usize, resultMax: i32): i32 {
  return ASC_FEATURE_SIMD ? tasksWords(map, resultMax) : 0;
}

/** Finds the draws that a change of one item may have changed, see RECHECK_WORDS; only in a kernel with lanes. */
export function recheck(request: usize): i32 {
  return ASC_FEATURE_SIMD ? recheckLanes(request) : 0;
}
