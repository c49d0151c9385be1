/**
 * Runs command-line tests in cram's format: lines of two spaces and `$` are commands, `>` goes on with one, and the
 * lines below, indented as well, are what it prints on both outputs; `[N]` is its exit status. A line that ends in
 * `(re)`, `(glob)` or `(esc)` is a regular expression, a pattern, or has escapes. Everything else is comment.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A command of a test. */
export interface CramCommand {
  /** Line of the file where it starts, from 1. */
  readonly line: number;
  readonly command: string;
  /** What it has to print, line by line, the exit status last. */
  readonly expected: readonly string[];
}

/** A command that was run, with what it printed in the form of {@link CramCommand.expected}. */
export interface CramOutcome extends CramCommand {
  readonly actual: readonly string[];
}

/** The commands of a test. */
export function parseCram(text: string): CramCommand[] {
  const commands: { line: number; command: string; expected: string[] }[] = [];
  text.split('\n').forEach((each, index) => {
    const last = commands.at(-1);
    if (each.startsWith('  $ ')) commands.push({ line: index + 1, command: each.slice(4), expected: [] });
    else if (each.startsWith('  > ') && last !== undefined) last.command += `\n${each.slice(4)}`;
    else if (each.startsWith('  ')) last?.expected.push(each.slice(2));
  });
  return commands;
}

/**
 * Runs a test in a folder of its own, all commands in one shell.
 *
 * @param programs - Folder whose programs come before all others.
 * @returns Every command with what it printed.
 */
export function runCram(file: string, programs: string): CramOutcome[] {
  const commands = parseCram(readFileSync(file, 'utf8'));
  const folder = mkdtempSync(join(tmpdir(), 'crush-wasm-cram-'));
  try {
    const mark = `--- ${Math.random().toString(36).slice(2)} `;
    const script = join(folder, '.cram.sh');
    // The mark starts a line of its own only where the command ended its last one.
    const lines = commands.map(({ command }) => `${command}\necho "${mark}$?"\n`);
    writeFileSync(script, `exec 2>&1\n${lines.join('')}`);
    const { stdout } = spawnSync('sh', [script], {
      cwd: folder,
      encoding: 'latin1',
      maxBuffer: 1 << 28,
      timeout: 110_000,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        PATH: `${programs}:${process.env.PATH ?? ''}`,
        TESTDIR: dirname(file),
        CRAMTMP: folder,
        ...{ LANG: 'C', LC_ALL: 'C', TZ: 'GMT', COLUMNS: '80' },
      },
    });
    const pieces = stdout.split(mark);
    return commands.map((command, index) => {
      const status = (pieces[index + 1] ?? 'none\n').split('\n', 1)[0] ?? '';
      const before = pieces[index] ?? '';
      const output = index === 0 ? before : before.slice(before.indexOf('\n') + 1);
      return { ...command, actual: outputLines(output, status) };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether a command printed what it had to. */
export function isAsExpected({ expected, actual }: CramOutcome): boolean {
  return expected.length === actual.length && actual.every((line, i) => isMatch(expected[i] ?? '', line));
}

function outputLines(output: string, status: string): string[] {
  const lines = output === '' ? [] : output.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else if (lines.length > 0) lines.push(`${lines.pop() ?? ''} (no-eol)`);
  return status === '0' ? lines : [...lines, `[${status}]`];
}

function isMatch(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  const [, text = '', kind] = /^(.*) \((re|glob|esc)\)$/s.exec(expected) ?? [];
  switch (kind) {
    case 're':
      return new RegExp(`^(?:${text})$`, 's').test(actual);
    case 'glob':
      return new RegExp(`^${globPattern(text)}$`, 's').test(actual);
    case 'esc':
      return unescaped(text) === actual;
    default:
      return false;
  }
}

function globPattern(text: string): string {
  const wild = text.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  return wild.replaceAll('*', '.*').replaceAll('?', '.');
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{2})|(.))/gs,
    (whole, hex: string | undefined, letter: string | undefined) =>
      hex !== undefined ? String.fromCharCode(parseInt(hex, 16)) : (ESCAPES[letter ?? ''] ?? whole),
  );
}
