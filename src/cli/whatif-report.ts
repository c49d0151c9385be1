/** What `whatif` says beyond a comparison: how full OSDs are, what each failure does, how to go gently. */
import type { FailureResult } from '../analysis/what-if/failures.ts';
import type { OsdFill } from '../analysis/what-if/fill.ts';
import type { StagingPlan } from '../analysis/what-if/staging.ts';
import { bytesText, percentText } from '../analysis/compare/report.ts';
import { holdCommands, releaseCommands } from './staging-script.ts';
import { formatPgId } from '../osdmap/pg-text.ts';
import { noun } from '../analysis/noun.ts';
import { tableLines } from './table.ts';

/** Lines of OSDs whose load changes, the greatest changes first. */
export function* fillLines(fills: readonly OsdFill[], limit: number): Generator<string> {
  const change = (fill: OsdFill): number => fill.shardsAfter - fill.shardsBefore;
  const changed = fills.filter((fill) => change(fill) !== 0);
  changed.sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)) || a.osd - b.osd);
  const hasBytes = changed.some(({ bytesAfter }) => bytesAfter !== undefined);
  const hasUse = changed.some(({ usedAfter }) => usedAfter !== undefined);
  const rows = changed
    .slice(0, limit)
    .map((fill) => [
      `osd.${fill.osd}`,
      fill.shardsBefore,
      fill.shardsAfter,
      `${change(fill) > 0 ? '+' : ''}${change(fill)}`,
      ...(hasBytes ? [bytesText(fill.bytesBefore ?? 0), bytesText(fill.bytesAfter ?? 0)] : []),
      ...(hasUse ? [useText(fill.usedBefore), useText(fill.usedAfter)] : []),
    ]);
  if (rows.length === 0) return;
  yield '';
  yield* tableLines(
    [
      'OSD',
      'SHARDS',
      'AFTER',
      'CHANGE',
      ...(hasBytes ? ['BYTES', 'AFTER'] : []),
      ...(hasUse ? ['USED', 'AFTER'] : []),
    ],
    rows,
  );
  if (changed.length > limit) yield `... ${changed.length - limit} more (--limit)`;
}

/** A line for each failure, worst first. */
export function* failureLines(results: readonly FailureResult[], type: string): Generator<string> {
  const hasUse = results.some(({ fullest }) => fullest?.used !== undefined);
  yield `every ${type} in turn: down, then out`;
  yield '';
  yield* tableLines(
    [
      'FAILS',
      'OSDS',
      'DEGRADED',
      'BELOW MIN',
      'LOST',
      'REBUILT SHARDS',
      'STAY SHORT',
      'FULLEST THEN',
      'OF FAIR',
      ...(hasUse ? ['USED'] : []),
    ],
    results.map(({ name, osds, fullest, ...counts }) => [
      name,
      osds,
      counts.degradedPgs,
      counts.belowMinSize,
      counts.lostPgs,
      counts.movedShards,
      counts.shortPgs,
      fullest === undefined ? '-' : `osd.${fullest.osd}`,
      fullest === undefined ? '-' : `x${fullest.ofFair.toFixed(2)}`,
      ...(hasUse ? [useText(fullest?.used)] : []),
    ]),
  );
}

/** What a plan comes to. */
export function* stagingSummary({ staged, unstaged, holds }: StagingPlan): Generator<string> {
  yield '';
  if (holds.length === 0) {
    yield 'staging: no upmap would make less move, so nothing is held';
    return;
  }
  const { movedShards, shards } = staged.total;
  yield (
    `staging: ${holds.length} ${noun(holds.length, 'PG')} held by upmaps; with the change itself ${movedShards} ` +
    `${noun(movedShards, 'shard moves', 'shards move')} (${percentText(movedShards, shards)}) instead of ` +
    `${unstaged.total.movedShards}, the floor is ${unstaged.total.floor.shards}`
  );
}

/** The commands of a plan. */
export function* stagingCommands({ holds, batches }: StagingPlan): Generator<string> {
  if (holds.length === 0) return;
  yield '';
  yield '# with the change:';
  for (const hold of holds) yield* holdCommands(hold);
  for (const [i, batch] of batches.entries()) {
    yield `# batch ${i + 1} of ${batches.length}, ${batch.length} ${noun(batch.length, 'PG')}:`;
    for (const hold of batch) yield* releaseCommands(hold);
  }
}

/** The plan for JSON. */
export function stagingJson(plan: StagingPlan): Record<string, unknown> {
  return {
    floor: plan.unstaged.total.floor.shards,
    movedShards: plan.staged.total.movedShards,
    movedShardsUnstaged: plan.unstaged.total.movedShards,
    hold: plan.holds.flatMap(holdCommands),
    batches: plan.batches.map((batch) => ({
      pgs: batch.map(({ pg }) => formatPgId(pg.pool, pg.ps)),
      release: batch.flatMap(releaseCommands),
    })),
  };
}

function useText(used: number | undefined): string {
  return used === undefined ? '-' : percentText(used, 1);
}
