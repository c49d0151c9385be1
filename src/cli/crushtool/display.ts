/** What the crushtool drop-in shows of a map, in the original's order. */
import type { CrushMap } from '../../crush/model.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { naming } from '../load.ts';
import type { CrushtoolOptions } from './options.ts';
import { testCrushMap } from './tester.ts';

/**
 * Shows what the options ask for.
 *
 * @throws CommandExit where the original ends, which it does at the first check that fails
 */
export async function displayMap(
  map: CrushMap,
  options: CrushtoolOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const missing = (
    [
      ['--show-location', options.showLocation >= 0],
      ['--tree', options.tree],
      ['--bucket-tree', options.bucketTree],
      ['--dump', options.dump],
      ['--decompile', options.decompile],
      ['--check', options.check],
      ['--compare', options.compareFile !== ''],
      ['--simulate', options.simulate],
      ['--output-csv', options.outputCsv],
    ] as const
  ).find(([, isAsked]) => isAsked);
  if (missing !== undefined) {
    throw new CommandExit(1, `crushtool: ${missing[0]} is not supported by this version of crush-wasm\n`);
  }
  if (options.test) {
    await naming(() => testCrushMap(map, options, io, out, err), options.inputFile);
  }
}
