/**
 * The crushtool drop-in: the original's arguments, its stages one after the other, its bytes and its exit status.
 * Follows Ceph's src/tools/crushtool.cc.
 */
import { CrushDraft } from '../../crush/draft.ts';
import type { CrushMap } from '../../crush/model.ts';
import { CommandExit, TextSinks, type CommandIo, type TextSink } from '../io.ts';
import { takeRelease } from '../release-option.ts';
import { displayMap } from './display.ts';
import { chosenTunables, hasEdits } from './edit-options.ts';
import { parseCrushtoolOptions, type CrushtoolOptions } from './options.ts';
import { readMapOrExit } from './read-map.ts';
import { usageOf } from './usage.ts';

/** Runs `crushtool ARGV` and gives its exit status. */
export async function crushtool(argv: readonly string[], io: CommandIo): Promise<number> {
  if (argv.includes('-h') || argv.includes('--help')) {
    await io.stdout.write(usageOf(takeRelease(argv).release));
    return 0;
  }
  const sinks = new TextSinks(io);
  try {
    const options = parseCrushtoolOptions(argv, sinks.out, sinks.err);
    await runStages(options, io, sinks.out, sinks.err);
  } finally {
    await sinks.flush();
  }
  return 0;
}

async function runStages(
  options: CrushtoolOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  let map = await inputMap(options, io, err);
  let isModified = options.compile || options.build;
  const tunables = chosenTunables(options);
  if (Object.keys(tunables).length > 0) {
    map = { ...map, tunables: { ...map.tunables, ...tunables } };
    isModified = true;
  }
  if (hasEdits(options)) throw unsupported('changing items and rules');
  await displayMap(map, options, io, out, err);
  if (isModified) outputMap(options, out);
}

/** The map to work on; without any it is an empty one. */
async function inputMap(options: CrushtoolOptions, io: CommandIo, err: TextSink): Promise<CrushMap> {
  const { inputFile, compile, build } = options;
  const map = inputFile === '' ? undefined : await readMapOrExit(inputFile, io, err);
  if (compile) throw unsupported('--compile');
  if (build) throw unsupported('--build');
  return map ?? CrushDraft.empty().finish();
}

function outputMap({ outputFile }: CrushtoolOptions, out: TextSink): void {
  if (outputFile !== '') throw unsupported('--outfn');
  out.add("crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n");
}

function unsupported(what: string): CommandExit {
  return new CommandExit(1, `crushtool: ${what} is not supported by this version of crush-wasm\n`);
}
