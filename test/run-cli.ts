/**
 * Runs the command line in this process, and the tools it stands for in theirs.
 */
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { OutputClosed, type CommandIo, type TextOutput } from '../src/cli/io.ts';
import { main } from '../src/cli/program.ts';
import { CrushError } from '../src/errors.ts';

/** What a command left behind. */
export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run a command. */
export interface RunOptions {
  readonly stdin?: Uint8Array;
  /** The reader of standard output goes away after so many characters. */
  readonly closeAfter?: number;
  /** Nothing can be written to standard error. */
  readonly failingStderr?: boolean;
  /** Gets what is written to either output, in order. */
  readonly onWrite?: (text: string) => void;
}

/** Runs `crush-wasm ARGV`. */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const text = { stdout: '', stderr: '' };
  const output = (name: 'stdout' | 'stderr'): TextOutput => ({
    isTerminal: false,
    columns: 100,
    write: (chunk) => {
      if (name === 'stdout' && text.stdout.length >= (options.closeAfter ?? Infinity)) {
        return Promise.reject(new OutputClosed('write EPIPE'));
      }
      if (name === 'stderr' && options.failingStderr === true) {
        return Promise.reject(new CrushError('io', 'cannot write output: ENOSPC'));
      }
      const written = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
      text[name] += written;
      options.onWrite?.(written);
      return Promise.resolve();
    },
  });
  const io: CommandIo = {
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdinIsTerminal: options.stdin === undefined,
    readStdin: () => Promise.resolve(options.stdin ?? new Uint8Array(0)),
  };
  const status = await main(argv, io);
  return { status, ...text };
}

/** Runs one of Ceph's tools. */
export function runTool(tool: string, args: readonly string[]): Outcome {
  return spawnSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60_000 });
}

/** What a command prints where standard output and error are one file. */
export async function runTogether(argv: readonly string[]): Promise<string> {
  let text = '';
  await run(argv, { onWrite: (chunk) => (text += chunk) });
  return text;
}

/** What one of Ceph's tools prints where standard output and error are one file. */
export function runToolTogether(tool: string, args: readonly string[]): string {
  return runTool('sh', ['-c', 'exec "$0" "$@" 2>&1', tool, ...args]).stdout;
}

/** Expects the drop-in to print and return what Ceph's tool does (of release 16, as Debian has it). */
export async function expectSame(tool: 'osdmaptool' | 'crushtool', args: readonly string[]): Promise<void> {
  const real = runTool(tool, args);
  const ours = await run([tool, ...args, '--as-release', '16']);
  const what = `${tool} ${args.join(' ')}`;
  expect({ what, status: ours.status, stdout: ours.stdout, stderr: ours.stderr }).toEqual({
    what,
    status: real.status,
    stdout: real.stdout,
    stderr: real.stderr,
  });
}
