/** The `--as-release` option, which the drop-in tools have beyond the originals'. */
import { NEWEST_RELEASE } from '../formats/releases.ts';
import { CommandExit } from './io.ts';

export { NEWEST_RELEASE };

/** Pacific, the release of Debian 12's tools. */
export const PACIFIC = 16;

/** Takes `--as-release N` out of a command line; `isGiven` tells whether it was there. */
export function takeRelease(argv: readonly string[]): {
  release: number;
  isGiven: boolean;
  rest: readonly string[];
} {
  let release = NEWEST_RELEASE;
  let isGiven = false;
  const rest: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? '';
    const match = /^--as[-_]release(?:=(.*))?$/s.exec(argument);
    if (match === null) {
      rest.push(argument);
      continue;
    }
    const text = match[1] ?? argv[++i] ?? '';
    isGiven = true;
    release = Number(text);
    if (!/^[0-9]+$/.test(text) || release < PACIFIC || release > NEWEST_RELEASE) {
      throw new CommandExit(
        2,
        `crush-wasm: --as-release takes a Ceph release, ${PACIFIC} to ${NEWEST_RELEASE}, not '${text}'\n`,
      );
    }
  }
  return { release, isGiven, rest };
}
