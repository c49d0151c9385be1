/** The `--threads` option: of commands for people, and beyond the originals' of the drop-ins. */
import { CommandExit, MISUSE } from './io.ts';

const MAX_THREADS = 256;

/** Reads the option's value; undefined is for a number that suits the job. */
export function parseThreads(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const threads = Number(text);
  if (/^[0-9]+$/.test(text) && threads >= 1 && threads <= MAX_THREADS) return threads;
  throw new CommandExit(
    MISUSE,
    `crush-wasm: --threads takes a whole number from 1 to ${MAX_THREADS}, not '${text}'\n`,
  );
}

/** Takes `--threads N` out of a command line. */
export function takeThreads(argv: readonly string[]): {
  threads: number | undefined;
  rest: readonly string[];
} {
  let threads: number | undefined;
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? '';
    if (argument === '--threads') threads = parseThreads(argv[++i] ?? '');
    else if (argument.startsWith('--threads=')) threads = parseThreads(argument.slice('--threads='.length));
    else rest.push(argument);
  }
  return { threads, rest };
}
