/** Decisions of real metadata servers: reports from shortly before and after a beat, and the log of it. */
import { brotliDecompressSync } from 'node:zlib';
import { readMdsJson } from '../src/formats/mds-json.ts';
import type { ExportDirectory, ExportFragment } from '../src/mds/find-exports.ts';
import type { LoadsReport, SubtreeReport } from '../src/mds/reports.ts';
import type { OwnSubtree } from '../src/mds/try-rebalance.ts';
import { fixture } from './fixtures.ts';

/** What there is of one rank in one beat. */
export interface RankCapture {
  /** Reports from up to half a second before the beat, of ranks that sent something. */
  readonly before?: { readonly loads: string; readonly subtrees: string };
  /** `dump loads` from after the beat, without fragments. */
  readonly after: string;
  readonly log: readonly string[];
}

/** A beat of a cluster. */
export interface Capture {
  readonly name: string;
  readonly beat: number;
  /** Seconds from the reports before the beat to the beat. */
  readonly seconds: number;
  readonly ranks: Readonly<Record<string, RankCapture>>;
}

/** All captures. */
export function captures(): readonly Capture[] {
  return JSON.parse(brotliDecompressSync(fixture('mds/captures.json.br')).toString()) as readonly Capture[];
}

export function loadsOf(text: string): LoadsReport {
  const document = readMdsJson(text);
  if (document.kind !== 'loads') throw new Error(document.kind);
  return document.loads;
}

export function subtreesOf(text: string): readonly SubtreeReport[] {
  const document = readMdsJson(text);
  if (document.kind !== 'subtrees') throw new Error(document.kind);
  return document.subtrees;
}

/** What a rank's log says of a beat. */
export interface LoggedBeat {
  readonly load: number;
  readonly target: number;
  readonly total: number;
  readonly verdict: 'underloaded' | 'overloaded-not-long-enough' | 'exporting';
  /** For how many beats it has been overloaded, if not long enough. */
  readonly overloadedFor: number | undefined;
  readonly importers: readonly number[];
  readonly exporters: readonly number[];
  readonly matches: readonly (readonly [from: number, to: number, amount: number])[];
  /** What try_rebalance went on with. */
  readonly wants: readonly (readonly [to: number, amount: number])[];
  /** Imports that were sent whole. */
  readonly reexports: readonly { readonly path: string; readonly load: number; readonly to: number }[];
  readonly searches: readonly { readonly path: string; readonly load: number; readonly need: number }[];
  /** Loads of what was exported out of subtrees, with one digit behind the point. */
  readonly exported: readonly number[];
  /** Whether the log has the load of each candidate. */
  readonly isComplete: boolean;
}

const DIR = String.raw`\[dir (0x\S+) (\S+?)\]`;

/** Reads the log of a beat. */
export function readLog(lines: readonly string[]): LoggedBeat {
  const all = (pattern: string): RegExpExecArray[] =>
    lines.map((line) => new RegExp(pattern).exec(line)).filter((match) => match !== null);
  const numbers = (pattern: string): number[][] => all(pattern).map((match) => match.slice(1).map(Number));
  const [[load = 0, target = 0, total = 0] = []] = numbers(
    String.raw`my load (\S+) +target (\S+) +total (\S+)`,
  );
  const [waiting] = numbers(String.raw`i am overloaded, but only for (\d+) epochs`);
  const isUnder = all('i am underloaded or barely overloaded').length > 0;
  return {
    load,
    target,
    total,
    verdict: isUnder ? 'underloaded' : waiting === undefined ? 'exporting' : 'overloaded-not-long-enough',
    overloadedFor: waiting?.[0],
    importers: numbers(String.raw`mds\.(\d+) is importer`).flat(),
    exporters: numbers(String.raw`mds\.(\d+) is exporter`).flat(),
    matches: numbers(String.raw`- mds\.(\d+) exports (\S+) to mds\.(\d+)`).map(
      ([from = 0, amount = 0, to = 0]) => [from, to, amount],
    ),
    wants: numbers(String.raw`want to send (\S+) to mds\.(\d+)`).map(([amount = 0, to = 0]) => [to, amount]),
    reexports: all(String.raw`reexporting ${DIR} pop (\S+) (?:back )?to mds\.(\d+)`).map(
      ([, , path = '', pop, to]) => ({
        path: cleanPath(path),
        load: Number(pop),
        to: Number(to),
      }),
    ),
    searches: all(String.raw`find_exports in (\S+) ${DIR} need (\S+)`).map(([, pop, , path = '', need]) => ({
      path: cleanPath(path),
      load: Number(pop),
      need: Number(need),
    })),
    exported: numbers(String.raw`- exporting .*LOAD:(\S+)\]`).flat(),
    isComplete: all('subdir pop').length > 0,
  };
}

function cleanPath(path: string): string {
  return path === '/' ? path : path.replace(/\/$/, '');
}

interface MutableFragment extends ExportFragment {
  load: number;
  directories: ExportDirectory[];
}

/** The subtrees of a rank as its search met them, in the same order and with the same loads, from its log. */
export function subtreesFromLog(lines: readonly string[]): OwnSubtree[] {
  const fragments = new Map<string, MutableFragment>();
  const fragment = (path: string): MutableFragment => {
    const known = fragments.get(path);
    if (known !== undefined) return known;
    const made = { name: path, load: 0, isReplicated: false, isFrozen: false, directories: [] };
    fragments.set(path, made);
    return made;
  };
  const roots: { readonly root: MutableFragment; readonly from: number }[] = [];
  let within: MutableFragment | undefined;
  for (const line of lines) {
    const [, imported, from] =
      new RegExp(String.raw`i imported \[dir 0x\S+ (\S+?)\] from (\d+)`).exec(line) ?? [];
    if (imported !== undefined) roots.push({ root: fragment(cleanPath(imported)), from: Number(from) });
    const [, inLoad, inPath] =
      new RegExp(String.raw`find_exports in (\S+) \[dir 0x\S+ (\S+?)\]`).exec(line) ?? [];
    if (inPath !== undefined) {
      within = fragment(cleanPath(inPath));
      within.load = Number(inLoad);
    }
    const [, subLoad, subPath] =
      new RegExp(String.raw`subdir pop (\S+) \[dir 0x\S+ (\S+?)\]`).exec(line) ?? [];
    if (subPath !== undefined && within !== undefined && !holds(within, cleanPath(subPath))) {
      const child = fragment(cleanPath(subPath));
      child.load = Number(subLoad);
      within.directories.push({ fragments: [child] });
    }
    const whole = new RegExp(
      String.raw`(?:reexporting|can't reexport) \[dir 0x\S+ (\S+?)\],? (?:pop|too big) (\S+)`,
    ).exec(line);
    if (whole !== null) fragment(cleanPath(whole[1] ?? '')).load = Number(whole[2]);
  }
  return roots.map(({ root, from }) => ({
    root,
    from,
    kind: root.name === '/' ? 'root' : 'directory',
    isPinned: false,
  }));
}

function holds({ directories }: ExportFragment, path: string): boolean {
  return directories.some(({ fragments: [child] }) => child?.name === path);
}
