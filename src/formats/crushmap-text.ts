/**
 * Reads the text form of CRUSH maps: what `crushtool -d` prints and people edit, and what `crushtool -c` compiles. The
 * grammars of all releases are read, back to rules with `ruleset`.
 */
import type { CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import { compileConstructs } from './crush-text-compile.ts';
import { joinLines, lineAndColumn, reportedPlace } from './crush-text-lines.ts';
import { parseCrushText } from './crush-text-parse.ts';
import type { CompileListener } from './crush-text-state.ts';
import type { Grammar } from './crush-text-syntax.ts';
import { NEWEST_RELEASE, RELEASE, isAtLeast } from './releases.ts';

/** Options of {@link readCrushText}. */
export interface ReadCrushTextOptions {
  /**
   * Read as the compiler of this Ceph release (16 is Pacific, 19 Squid; default: the newest, which reads what the
   * others write). Before 17 rules must have min_size and max_size, and keep them; before 19 there is no MSR.
   */
  readonly release?: number;
}

/** Options of {@link compileCrushText}. */
export interface CompileOptions extends ReadCrushTextOptions {
  /** What crushtool's messages call the text. */
  readonly fileName: string;
  readonly listener: CompileListener;
}

/**
 * Reads a CRUSH map in text. Tunables that it does not set are those of before 2012, as crushtool has it.
 *
 * @throws CrushError `malformed` with line and column, and what was expected there.
 * @example
 * ```ts
 * const map = readCrushText(await readFile('crushmap.txt', 'utf8'));
 * ```
 */
export function readCrushText(text: string, options: ReadCrushTextOptions = {}): CrushMap {
  if (typeof text !== 'string') {
    throw new CrushError('bad-argument', 'readCrushText takes the text of a CRUSH map as a string');
  }
  return compileCrushText(text, { ...options, fileName: '<input>', listener: NOBODY });
}

/** Reads a CRUSH map in text, as {@link readCrushText}; the listener hears what crushtool would say. */
export function compileCrushText(text: string, options: CompileOptions): CrushMap {
  const { release = NEWEST_RELEASE, fileName, listener } = options;
  const grammar: Grammar = {
    needsSizes: !isAtLeast(release, RELEASE.quincy),
    knowsMsr: isAtLeast(release, RELEASE.squid),
  };
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    throw new CrushError('malformed', 'there is a NUL character in the text', lineAndColumn(text, nul));
  }
  showLines(text, listener);
  const { constructs, failure } = parseCrushText(text, grammar);
  if (failure !== undefined) {
    const { line, rest } = reportedPlace(text, failure.stop);
    listener.refuse(`${fileName}:${line} error: parse error at '${rest}'\n`);
    throw new CrushError('malformed', failure.problem, lineAndColumn(text, failure.at));
  }
  return compileConstructs(constructs, text, grammar, listener);
}

/** Shows the text as the parser sees it, to who wants to know it all. */
function showLines(text: string, { verbose, say }: CompileListener): void {
  if (verbose <= 1) return;
  const { lines, whole } = joinLines(text);
  lines.forEach(({ bare, squeezed }, index) => {
    say(`${index + 1}: ${bare}\n`);
    if (verbose > 3) say(` "${bare}" -> "${squeezed}"\n`);
  });
  if (verbose > 2) say(`whole file is: "${whole}"\n`);
}

const NOBODY: CompileListener = {
  verbose: 0,
  say: () => undefined,
  refuse: () => undefined,
  formatWeight: String,
};
