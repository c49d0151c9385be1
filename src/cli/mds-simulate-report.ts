/** What `crush-wasm mds simulate` prints: tables for people, JSON and CSV for programs. */
import { snakeCaseJson } from '../analysis/snake-case.ts';
import type { Migration, MigrationCause, SimulationResult } from '../mds/simulate.ts';
import { RETURN_BEATS } from '../mds/simulate.ts';
import { summarize } from '../mds/simulate/summary.ts';
import { oneLine, type TextSink } from './io.ts';
import { proseLines, tableLines } from './table.ts';

/** A simulation, and what sets it apart from others beside it. */
export interface SimulatedVariant {
  readonly title: string;
  /** Options that it alone has, as `name=value`. */
  readonly settings: readonly string[];
  /** `mds_bal_interval`, in seconds. */
  readonly interval: number;
  readonly result: SimulationResult;
}

/** Most rows of the table of loads, and of the list of exports. */
const MOST_ROWS = 20;
const MOST_EXPORTS = 15;
const MOST_PING_PONGS = 8;
/** Ranks with a column of their own. */
const MOST_RANKS = 8;

/** Writes the report for people; prose is broken at a width. */
export async function writeSimulationText(
  variants: readonly SimulatedVariant[],
  seed: number,
  out: TextSink,
  width: number,
): Promise<void> {
  const [first] = variants;
  if (first === undefined) return;
  const { workload, directories, ranks, beats } = first.result;
  out.add(
    `${oneLine(workload)}, ${count(directories, 'directory', 'directories')}, ${count(ranks, 'rank')}, ` +
      `${count(beats.length, 'beat')}, seed ${seed}\n\n`,
  );
  if (variants.length === 1) {
    const { result } = first;
    for (const line of loadLines(result)) out.add(`${line}\n`);
    out.add('\n');
    for (const line of [...exportLines(result, width), ...verdictLines(result, width)]) out.add(`${line}\n`);
    return;
  }
  for (const line of comparisonLines(variants)) out.add(`${line}\n`);
  for (const { title, result } of variants) {
    out.add(`\n${title}\n`);
    for (const line of verdictLines(result, width - 2)) out.add(`  ${line}\n`);
    await out.relieve();
  }
}

/** Writes all that happened, for programs. */
export function writeSimulationJson(
  variants: readonly SimulatedVariant[],
  seed: number,
  out: TextSink,
): void {
  const facts = variants.map(({ settings, interval, result }) => ({
    settings,
    interval,
    summary: summarize(result),
    ...result,
  }));
  out.add(`${JSON.stringify(snakeCaseJson({ seed, variants: facts }), null, 2)}\n`);
}

/** Writes a row for each rank and beat, and for what it comes to at the end. */
export function writeSimulationCsv(variants: readonly SimulatedVariant[], out: TextSink): void {
  out.add('variant,beat,seconds,rank,mds_load,meta_load,request_rate,subtrees,verdict,wants,exports\n');
  for (const { title, result } of variants) {
    for (const { beat, time, ranks } of result.beats) {
      for (const each of ranks) {
        const wants = each.wants.reduce((sum, { amount }) => sum + amount, 0);
        out.add(
          `${csv(title)},${beat},${time},${each.rank},${each.mdsLoad},${each.metaLoad},${each.requestRate},` +
            `${each.subtrees},${each.verdict ?? ''},${wants},${each.chosen.length}\n`,
        );
      }
    }
    for (const each of result.end.ranks) {
      out.add(
        `${csv(title)},end,${result.end.time},${each.rank},${each.mdsLoad},${each.metaLoad},${each.requestRate},` +
          `${each.subtrees},,,\n`,
      );
    }
  }
}

/** Loads over time; of many beats those at even distances, with what was exported since the one before. */
function loadLines(result: SimulationResult): string[] {
  const { beats, end, migrations, ranks } = result;
  const step = Math.ceil(beats.length / MOST_ROWS);
  const shown = beats.filter((_, index) => index % step === 0 || index === beats.length - 1);
  const columns = Array.from({ length: Math.min(ranks, MOST_RANKS) }, (_, rank) => rank);
  const last = [{ beat: Infinity, name: 'end', time: end.time, ranks: end.ranks }];
  const rows = [...shown.map((each) => ({ ...each, name: String(each.beat) })), ...last];
  let before = -1;
  const cells = rows.map(({ beat, name, time, ranks: loads }) => {
    const all = loads.map(({ mdsLoad }) => mdsLoad);
    const mean = all.reduce((sum, load) => sum + load, 0) / Math.max(1, all.length);
    const busiest = Math.max(...all);
    // What a beat decides is exported after it, so that it shows in the next row.
    const sent = migrations.filter((each) => each.beat >= before && each.beat < beat).length;
    before = beat;
    return [
      name.padStart(4),
      time,
      ...columns.map((rank) => Math.round(all[rank] ?? 0)),
      ...(ranks > MOST_RANKS ? [Math.round(busiest)] : []),
      mean > 0 ? `${(busiest / mean).toFixed(2)} x mean` : '-',
      sent,
    ];
  });
  return tableLines(
    [
      'BEAT',
      'SECONDS',
      ...columns.map((rank) => `mds.${rank}`),
      ...(ranks > MOST_RANKS ? ['BUSIEST'] : []),
      'BUSIEST IS',
      'EXPORTS SINCE',
    ],
    cells,
  );
}

const CAUSES: Readonly<Record<MigrationCause, string>> = {
  exported: 'chosen for its load',
  returned: 'given back',
  'sent-on': 'sent on whole',
  idle: 'idle, given back',
  pinned: 'pinned there',
};

function exportLines(
  { migrations, dropped, requests, blockedRequests }: SimulationResult,
  width: number,
): string[] {
  if (migrations.length === 0 && dropped.length === 0) return ['Nothing is exported.'];
  const waiting =
    blockedRequests < 0.5
      ? 'no requests waited'
      : `${number(blockedRequests)} of ${number(requests)} requests waited (${percent(blockedRequests, requests)})`;
  const lines = [`${count(migrations.length, 'export')}; ${waiting}`];
  const rows = exportRows(migrations);
  const heading = ['  BEAT', 'SECOND', 'WHAT', 'FROM', 'TO', 'LOAD', 'WAITED', 'WHY'];
  lines.push(...tableLines(heading, rows.slice(0, MOST_EXPORTS)));
  const rest = rows.length - MOST_EXPORTS;
  if (rest > 0) lines.push(`  and ${rest} more such lines (--format json has every export)`);
  const texts = [
    [dropped.filter(({ why }) => why === 'pinned').length, 'would have gone against a pin further up'],
    [dropped.filter(({ why }) => why === 'next-beat').length, 'had not begun when the next beat came'],
    [
      dropped.filter(({ why }) => why === 'gone' || why === 'frozen').length,
      'were frozen or gone when their turn came',
    ],
  ] as const;
  for (const [amount, what] of texts) {
    if (amount > 0)
      lines.push(...proseLines('  ', `${number(amount)} exports that were decided ${what}`, width));
  }
  return lines;
}

/** A row for each export; those of one beat that lie in one directory and go the same way share one. */
function exportRows(migrations: readonly Migration[]): (string | number)[][] {
  const groups = new Map<string, Migration[]>();
  for (const each of [...migrations].sort((a, b) => a.time - b.time)) {
    const { beat, path, from, to, cause } = each;
    const key = JSON.stringify([beat, from, to, cause, parentOf(path)]);
    const others = groups.get(key);
    if (others === undefined) groups.set(key, [each]);
    else others.push(each);
  }
  return [...groups.values()].map((group) => {
    const [{ beat, time, path, from, to, cause }] = group as [Migration];
    const sum = (value: (each: Migration) => number): number =>
      Math.round(group.reduce((all, each) => all + value(each), 0));
    return [
      String(beat).padStart(6),
      Number(time.toFixed(1)),
      oneLine(group.length === 1 ? path : `${group.length} directories in ${parentOf(path)}`),
      `mds.${from}`,
      `mds.${to}`,
      sum(({ load }) => load),
      sum(({ blockedRequests }) => blockedRequests),
      CAUSES[cause],
    ];
  });
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** Whether anything goes back and forth, and what became of fragments. */
function verdictLines(result: SimulationResult, width: number): string[] {
  const { pingPongs, fragmentations, notes } = result;
  const lines: string[] = [];
  if (pingPongs.length === 0)
    lines.push(`No subtree came back to a rank within ${RETURN_BEATS} beats of leaving it.`);
  else {
    const returns = pingPongs.reduce((sum, each) => sum + each.returns, 0);
    const subtrees = count(pingPongs.length, 'subtree');
    lines.push(
      `PING-PONG: ${subtrees} came back within ${RETURN_BEATS} beats, ${count(returns, 'time')} in all:`,
    );
    for (const { path, ranks, returns: times, beats } of pingPongs.slice(0, MOST_PING_PONGS)) {
      const between = ranks.map((rank) => `mds.${rank}`).join(', ');
      const when = `${beats.slice(0, 8).join(', ')}${beats.length > 8 ? ', ...' : ''}`;
      lines.push(
        ...proseLines(
          '  ',
          `${oneLine(path)}: ${count(times, 'time')} between ${between}, in beat ${when}`,
          width,
        ),
      );
    }
    if (pingPongs.length > MOST_PING_PONGS) lines.push(`  and ${pingPongs.length - MOST_PING_PONGS} more`);
  }
  const split = fragmentations.filter(({ kind }) => kind === 'split');
  const merged = fragmentations.length - split.length;
  if (fragmentations.length > 0) {
    const causes = ['size', 'reads', 'writes', 'pinned'] as const;
    const told = causes
      .map((cause) => [cause, split.filter((each) => each.cause === cause).length] as const)
      .filter(([, amount]) => amount > 0)
      .map(([cause, amount]) => `${amount} for ${cause === 'pinned' ? 'a distributed pin' : cause}`);
    const why = told.length === 0 ? '' : ` (${told.join(', ')})`;
    lines.push(
      `Fragments: ${count(split.length, 'split')}${why}, ${count(merged, 'merge')}; ${number(result.fragments)} at the end`,
    );
  }
  for (const note of notes) lines.push(...proseLines('note: ', oneLine(note), width));
  return lines;
}

function comparisonLines(variants: readonly SimulatedVariant[]): string[] {
  const rows = variants.map(({ title, result }) => {
    const { meanImbalance, worstImbalance, endImbalance, exports, returns } = summarize(result);
    return [
      title,
      `${meanImbalance.toFixed(2)} x`,
      `${worstImbalance.toFixed(2)} x`,
      `${endImbalance.toFixed(2)} x`,
      exports,
      returns,
      Math.round(result.blockedRequests),
      result.fragmentations.length,
    ];
  });
  return [
    ...tableLines(
      [
        'VARIANT',
        'BUSIEST/MEAN',
        'WORST',
        'AT THE END',
        'EXPORTS',
        'CAME BACK',
        'WAITED',
        'SPLITS AND MERGES',
      ],
      rows,
    ),
    'BUSIEST/MEAN is the load of the busiest rank beside that of all, on average over beats from the second on',
  ];
}

function count(amount: number, one: string, many = `${one}s`): string {
  return `${number(amount)} ${amount === 1 ? one : many}`;
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${Number(((part / whole) * 100).toPrecision(2))} %` : '0 %';
}

function csv(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
