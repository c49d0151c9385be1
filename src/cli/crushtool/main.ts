/**
 * The crushtool drop-in: the original's arguments, its stages one after the other, its bytes and its exit status.
 * Follows Ceph's src/tools/crushtool.cc.
 */
import { CrushDraft } from '../../crush/draft.ts';
import { updateChooseArgs } from '../../crush/edit/choose-args.ts';
import { writeCrushBinary } from '../../formats/crushmap-encode.ts';
import { TextSinks, type CommandIo, type TextSink } from '../io.ts';
import { NEWEST_RELEASE, takeRelease } from '../release-option.ts';
import { writeFileLikeCeph } from '../write-file.ts';
import { buildMap } from './build.ts';
import { compileStage } from './compile.ts';
import { displayMap } from './display.ts';
import { editStage } from './edit.ts';
import { parseCrushtoolOptions, type CrushtoolOptions } from './options.ts';
import { readMapOrExit } from './read-map.ts';
import { OWN_OPTIONS, usageOf } from './usage.ts';

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

/** Explains the drop-in to people. What `--help` prints is the original's, to which nothing may be added. */
export async function explainCrushtool(io: CommandIo): Promise<number> {
  await io.stdout.write(`${usageOf(NEWEST_RELEASE)}${OWN_OPTIONS}`);
  return 0;
}

async function runStages(
  options: CrushtoolOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const draft = await inputMap(options, io, err);
  const isEdited = editStage(draft, options, out);
  await displayMap(draft.finish(), options, io, out, err);
  if (options.compile || options.build || isEdited) await outputMap(draft, options, out);
}

/** The map to work on; without any it is an empty one. */
async function inputMap(options: CrushtoolOptions, io: CommandIo, err: TextSink): Promise<CrushDraft> {
  const { inputFile, compile, build } = options;
  const map = inputFile === '' ? undefined : await readMapOrExit(inputFile, io, err);
  if (compile) return compileStage(options, err);
  if (build) return buildMap(options, err);
  if (map === undefined) return CrushDraft.empty();
  const draft = CrushDraft.from(map);
  // Ceph mends the choose_args of maps that it reads, which it does not for those that it compiles.
  updateChooseArgs(draft);
  return draft;
}

async function outputMap(draft: CrushDraft, options: CrushtoolOptions, out: TextSink): Promise<void> {
  const { outputFile, release, verbose } = options;
  if (outputFile === '') {
    out.add("crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n");
    return;
  }
  draft.finalize();
  await writeFileLikeCeph('crushtool', outputFile, writeCrushBinary(draft.finish(), { release }));
  if (verbose > 0) out.add(`wrote crush map to ${outputFile}\n`);
}
