/** What `crush-wasm mds plan` prints, for people and for programs. */
import { holdCommands, inOrder, setCommand, type PlannedCommands } from '../analysis/mds-plan-commands.ts';
import { noun } from '../analysis/noun.ts';
import { snakeCaseJson } from '../analysis/snake-case.ts';
import { shellWord } from '../analysis/what-if/shell-words.ts';
import type { Indivisible, PinPlan, PlannedPin, PlannedRank } from '../mds/plan.ts';
import type { PlanComparison, SimulatedCourse } from '../mds/plan/comparison.ts';
import type { FileSystemReport } from '../mds/reports.ts';
import { oneLine } from './io.ts';

import { tableLines } from './table.ts';

/** A plan with what is said beside it. */
export interface PlanReport extends PlannedCommands {
  readonly comparison: PlanComparison | undefined;
}

/** The plan as JSON. */
export function planJson({ plan, mount, comparison }: PlanReport): string {
  const commands = inOrder(plan).map(({ path, rank }) => setCommand(mount, path, rank));
  const back = inOrder(plan)
    .reverse()
    .map(({ path, before }) => setCommand(mount, path, before));
  const facts = { ...plan, comparison: comparison ?? null, commands, commandsBack: back };
  return `${JSON.stringify(snakeCaseJson(facts), null, 2)}\n`;
}

/**
 * The plan for people, a line at a time.
 *
 * @param asked - whether pins that are there could be changed, and how many there could be
 */
export function* planLines(
  report: PlanReport,
  { repin, maxPins }: { readonly repin: boolean; readonly maxPins: number },
): Generator<string> {
  const { plan, comparison, fileSystem } = report;
  yield* summaryLines(plan, maxPins);
  yield '';
  yield* rankLines(plan);
  if (plan.pins.length > 0) {
    yield '';
    yield 'pins:';
    for (const pin of plan.pins) yield `  ${pinText(pin, plan)}`;
    if (plan.peaks.length > 2) yield peaksText(plan);
  }
  yield* keptLines(plan, repin);
  yield* indivisibleLines(report);
  if (comparison !== undefined) {
    yield '';
    yield* comparisonLines(comparison, plan, fileSystem);
  }
  if (plan.pins.length > 0) {
    yield '';
    yield* stepLines(report);
  }
  if (plan.notes.length > 0) yield '';
  for (const note of plan.notes) yield `note: ${oneLine(note)}`;
}

function* summaryLines(plan: PinPlan, maxPins: number): Generator<string> {
  const { pins, ranks, ranksBefore, perRank, share, tolerance, isEven } = plan;
  const [before, after] = [peakOf(perRank, 'unplanned'), peakOf(perRank, 'after')];
  const change = ranks === ranksBefore ? '' : ` (${ranksBefore} now)`;
  const start = `${ranks} ${noun(ranks, 'rank')}${change}, a share of ${amountText(share)} for each`;
  if (share === 0) {
    yield `${start}: there is no load to plan with`;
    return;
  }
  if (pins.length === 0) {
    const why = maxPins === 0 ? '--max-pins 0 allows no pin' : 'no pin makes it better';
    yield `${start}; ${isEven ? `all are within ${percent(tolerance)}: nothing to pin` : why}`;
    return;
  }
  const off = perRank.reduce((sum, rank) => sum + (rank.isShared ? 0 : rank.unplanned - rank.after), 0);
  const masked = off < 0.05 ? '' : ` take ${amountText(off)} off ranks that are not in the mask`;
  yield (
    `${start}; ${pins.length} ${noun(pins.length, 'pin')}${masked}: the highest load${masked === '' ? '' : ' of the others'} ` +
    `goes from ${amountText(before)} (${shareText(before, share)}) to ${amountText(after)} (${shareText(after, share)})`
  );
  if (!isEven) yield `that is not within ${percent(tolerance)} of the share, ${whyUneven(plan, maxPins)}`;
}

function whyUneven({ pins, indivisible }: PinPlan, maxPins: number): string {
  if (pins.length >= maxPins) return `and --max-pins ${maxPins} allows no more`;
  return indivisible.length > 0 ? 'but as low as pins get it' : 'but the lowest that was found';
}

function* rankLines({ perRank, share, ranks, ranksBefore }: PinPlan): Generator<string> {
  const isSame = perRank.every(({ before, unplanned }) => Math.abs(before - unplanned) <= 0.001 * share);
  const header = [
    'RANK',
    'MDS_LOAD NOW',
    ...(isSame ? [] : ['WITHOUT PLAN']),
    'PLANNED',
    'OF SHARE',
    'META_LOAD NOW',
    'PLANNED',
    '',
  ];
  const rows = perRank.map((rank) => [
    `mds.${rank.rank}`,
    ...[rank.before, ...(isSame ? [] : [rank.unplanned]), rank.after].map(amountText),
    share === 0 ? '-' : shareText(rank.after, share),
    ...[rank.metaBefore, rank.metaAfter].map(amountText),
    remarkOn(rank, ranks, ranksBefore),
  ]);
  yield* alignRight(header, rows);
}

/** Columns of numbers that are texts, to the right. */
function alignRight(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const last = header.length - 1;
  const padded = (row: readonly string[]): string[] =>
    row.map((cell, column) => (column === 0 || column === last ? cell : cell.padStart(widths[column] ?? 0)));
  return tableLines(padded(header), rows.map(padded));
}

function remarkOn({ rank, isShared }: PlannedRank, ranks: number, ranksBefore: number): string {
  if (rank >= ranks) return 'goes away';
  if (rank >= ranksBefore) return 'new';
  return isShared ? '' : 'not in the mask';
}

/** Why a directory is pinned: from where to where load goes. */
function pinText({ path, rank, load, from, before }: PlannedPin, plan: PinPlan): string {
  const rankOf = (each: number): PlannedRank | undefined => plan.perRank[each];
  const name = `${oneLine(path)} to mds.${rank}: ${amountText(load)}`;
  const instead = before >= 0 ? `, instead of mds.${before}` : '';
  if (from.length === 0) return `${name}${instead}, stays there whatever is pinned above it`;
  const reasons = from.slice(0, 3).map(({ rank: source, load: part }) => {
    const now = rankOf(source)?.unplanned ?? 0;
    const amount = from.length === 1 ? '' : `${amountText(part)} `;
    if (source >= plan.ranks) return `${amount}off mds.${source}, which goes away`;
    const off =
      rankOf(source)?.isShared === false ? 'not in the mask' : `${shareText(now, plan.share)} of the share`;
    return `${amount}off mds.${source} (${off})`;
  });
  const room = rankOf(rank)?.unplanned ?? 0;
  const since = room < plan.share ? `, since mds.${rank} has only ${shareText(room, plan.share)}` : '';
  return `${name}${instead}, ${reasons.join(' and ')}${since}`;
}

function peaksText({ peaks, share, pins }: PinPlan): string {
  const steps = peaks.map(
    (peak, count) => `${count}: ${shareText(peak, share)}${count === pins.length ? ' (planned)' : ''}`,
  );
  const shown = steps.slice(0, MAX_STEPS);
  const planned = pins.length < MAX_STEPS ? [] : steps.slice(pins.length, pins.length + 1);
  const skipped = pins.length > MAX_STEPS ? ['...'] : [];
  const isCut = Math.max(MAX_STEPS, pins.length + 1) < steps.length;
  return `highest load by number of pins: ${[...shown, ...skipped, ...planned, ...(isCut ? ['...'] : [])].join(', ')}`;
}

/** Most numbers of pins whose peaks are listed. */
const MAX_STEPS = 13;
/** Most directories of one kind that are listed. */
const MAX_LISTED = 20;

function* keptLines({ kept }: PinPlan, repin: boolean): Generator<string> {
  if (kept.length === 0) return;
  yield '';
  yield `pins that are there and stay${repin ? '' : ' (--repin may change static ones)'}:`;
  for (const { path, kind, rank, load } of kept.slice(0, MAX_LISTED)) {
    const where = rank === undefined ? 'several ranks' : `mds.${rank}`;
    yield `  ${oneLine(path)}, ${kind}, ${where}: ${amountText(load)}`;
  }
  if (kept.length > MAX_LISTED) yield `  and ${kept.length - MAX_LISTED} more`;
}

function* indivisibleLines({ plan, mount }: PlanReport): Generator<string> {
  if (plan.indivisible.length === 0) return;
  yield '';
  for (const each of plan.indivisible.slice(0, MAX_LISTED)) yield* adviceLines(each, plan, mount);
}

/** What else helps where the entries of one directory are too much for a rank. */
function* adviceLines(
  { path, load, distributed }: Indivisible,
  { share, pins }: PinPlan,
  mount: string,
): Generator<string> {
  const name = path === '' ? '/' : oneLine(path);
  yield `${name} has ${amountText(load)} by its own entries alone, ${shareText(load, share)} of the share: static pins do not part these`;
  if (distributed === undefined) {
    yield '  only its entries can go elsewhere: into directories of their own';
    return;
  }
  const parts = distributed.map((part, rank) => `mds.${rank} ${percent(part)}`).join(', ');
  if (distributed.length > 1) {
    const instead = pins.some((pin) => pin.path === path)
      ? ', in place of its static one, which would win'
      : '';
    yield `  a distributed ephemeral pin${instead} would fragment it, and give of its entries ${parts}:`;
    yield `    setfattr -n ceph.dir.pin.distributed -v 1 ${shellWord(`${mount}${path}`)}`;
  }
  yield "  or split it ('ceph tell mds.N dirfrag split'), so that the balancer can move its fragments";
}

function* comparisonLines(
  { beats, balancer, pinned, both }: PlanComparison,
  { share, pins }: PinPlan,
  fileSystem: FileSystemReport | undefined,
): Generator<string> {
  const off = fileSystem?.isBalanced === false ? ', if balance_automate were on' : '';
  yield `highest load in the next ${beats} ${noun(beats, 'beat')}, simulated with the load as it is:`;
  yield `  the balancer alone${off}: ${courseText(balancer, share)}`;
  if (pins.length === 0) return;
  yield `  with these pins: ${courseText(pinned, share)}`;
  if (fileSystem?.isBalanced !== false) {
    yield `  with these pins while the balancer goes on: ${courseText(both, share)}`;
  }
}

function courseText({ peaks, migrations, returns }: SimulatedCourse, share: number): string {
  const shown = peaks.length > MAX_STEPS ? [...peaks.slice(0, MAX_STEPS - 1), peaks.at(-1) ?? 0] : peaks;
  const course = shown.map((peak) => (share === 0 ? amountText(peak) : shareText(peak, share))).join(', ');
  const back = returns === 0 ? '' : `, of which ${returns} came back soon`;
  return `${course}; ${migrations} ${noun(migrations, 'migration')}${back}`;
}

function* stepLines({ plan, mount, fileSystem }: PlanReport): Generator<string> {
  const maxMds = `ceph fs set ${shellWord(fileSystem?.name ?? 'FS_NAME')} max_mds ${plan.ranks}`;
  yield `to do, with the file system mounted at ${shellWord(mount === '' ? '/' : mount)}:`;
  const hold = holdCommands(fileSystem);
  if (hold !== undefined) yield `  ${hold.stop}`;
  if (plan.ranks > plan.ranksBefore) yield `  ${maxMds}`;
  for (const { path, rank } of inOrder(plan)) yield `  ${setCommand(mount, path, rank)}`;
  if (plan.ranks < plan.ranksBefore) yield `  ${maxMds}`;
  if (hold !== undefined) yield `  ${hold.go}   # ${hold.when}`;
  yield 'the way back (directories stay where they are until the balancer or another pin moves them):';
  for (const { path, before } of inOrder(plan).reverse()) yield `  ${setCommand(mount, path, before)}`;
}

function peakOf(ranks: readonly PlannedRank[], when: 'unplanned' | 'after'): number {
  return Math.max(0, ...ranks.filter(({ isShared }) => isShared).map((rank) => rank[when]));
}

function amountText(amount: number): string {
  return amount.toFixed(1);
}

function shareText(load: number, share: number): string {
  return `${(load / share).toFixed(2)}x`;
}

function percent(fraction: number): string {
  return `${Number((fraction * 100).toPrecision(4))} %`;
}
