/** Sets of snapshot ids as ascending runs that neither overlap nor touch. Follows Ceph's src/include/interval_set.h. */
import type { Interval } from './model.ts';

/** What is in either set. */
export function unionOfIntervals(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const runs = [...a, ...b].sort((x, y) => (x.start < y.start ? -1 : x.start > y.start ? 1 : 0));
  const out: Interval[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (last === undefined || run.start > last.start + last.length) {
      out.push(run);
      continue;
    }
    const end = run.start + run.length;
    if (end > last.start + last.length) out[out.length - 1] = { start: last.start, length: end - last.start };
  }
  return out;
}

/** What is in the first set and not in the second. */
export function subtractIntervals(from: readonly Interval[], what: readonly Interval[]): Interval[] {
  let rest = [...from];
  for (const { start, length } of what) {
    const end = start + length;
    rest = rest.flatMap((run) => {
      const runEnd = run.start + run.length;
      if (runEnd <= start || run.start >= end) return [run];
      const before = { start: run.start, length: start - run.start };
      const after = { start: end, length: runEnd - end };
      return [before, after].filter((piece) => piece.length > 0n);
    });
  }
  return rest;
}
