/** A staging plan as a script for a shell with Ceph's command line. */
import type { Hold, StagingPlan } from '../analysis/what-if/staging.ts';
import { formatPgId } from '../osdmap/pg-text.ts';
import { noun } from '../analysis/noun.ts';

/** What an operator does with the script, as comments above it. */
const HEAD = [
  '#!/bin/sh',
  '# Makes a change move no more than it has to: upmaps hold PGs where they are, and are taken away in batches.',
  '# usage: sh PLAN hold      right after the change, before data moves:',
  '#          ceph osd set norebalance; ceph osd set nobackfill',
  '#          ... the change ...',
  '#          sh PLAN hold; ceph osd unset nobackfill; ceph osd unset norebalance',
  '#        sh PLAN release N  lets batch N go, from 1 on; wait until all PGs are active+clean before the next',
  'set -e',
];

/** The lines of the script. */
export function* scriptLines(plan: StagingPlan): Generator<string> {
  const held = plan.holds.length;
  const batches = plan.batches.length;
  yield* HEAD;
  yield `# ${noun(held, `${held} PG is`, `${held} PGs are`)} held, ${batches} ${noun(batches, 'batch', 'batches')}`;
  yield 'case "$1 $2" in';
  yield "'hold ')";
  for (const hold of plan.holds) for (const line of holdCommands(hold)) yield `  ${line}`;
  yield '  ;;';
  for (const [i, batch] of plan.batches.entries()) {
    yield `'release ${i + 1}')`;
    for (const hold of batch) for (const line of releaseCommands(hold)) yield `  ${line}`;
    yield '  ;;';
  }
  yield `*) echo "usage: sh $0 hold | release 1..${plan.batches.length}" >&2; exit 2 ;;`;
  yield 'esac';
}

/** Commands that hold a PG. */
export function holdCommands({ pg, pairs, whole, former }: Hold): string[] {
  const pgid = formatPgId(pg.pool, pg.ps);
  return [
    ...(former.whole !== undefined && whole === undefined ? [`ceph osd rm-pg-upmap ${pgid}`] : []),
    ...(former.pairs !== undefined && pairs === undefined ? [`ceph osd rm-pg-upmap-items ${pgid}`] : []),
    ...setCommands(pgid, pairs, whole),
  ];
}

/** Commands that let a PG go, to the upmaps that it had. */
export function releaseCommands({ pg, pairs, whole, former }: Hold): string[] {
  const pgid = formatPgId(pg.pool, pg.ps);
  return [
    ...(whole !== undefined && former.whole === undefined ? [`ceph osd rm-pg-upmap ${pgid}`] : []),
    ...(pairs !== undefined && former.pairs === undefined ? [`ceph osd rm-pg-upmap-items ${pgid}`] : []),
    ...setCommands(pgid, former.pairs, former.whole),
  ];
}

function setCommands(pgid: string, pairs: Hold['pairs'], whole: Hold['whole']): string[] {
  return [
    ...(whole === undefined ? [] : [`ceph osd pg-upmap ${pgid} ${whole.join(' ')}`]),
    ...(pairs === undefined ? [] : [`ceph osd pg-upmap-items ${pgid} ${pairs.flat().join(' ')}`]),
  ];
}
