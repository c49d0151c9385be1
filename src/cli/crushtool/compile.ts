/** The stages of the crushtool drop-in that turn text into a map (`-c`) and a map into text (`-d`). */
import { constants } from 'node:os';
import { CrushDraft } from '../../crush/draft.ts';
import type { CrushMap } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { decompileCrush } from '../../formats/crush-text-write.ts';
import type { CompileListener } from '../../formats/crush-text-state.ts';
import { compileCrushText } from '../../formats/crushmap-text.ts';
import { CommandExit, type TextSink } from '../io.ts';
import { formatWeight } from '../iostream-format.ts';
import { readFileBytes } from '../read-bytes.ts';
import { writeFileLikeCeph } from '../write-file.ts';
import type { CrushtoolOptions } from './options.ts';

/** Exit status of the original where the source cannot be opened: -ENOENT, of which 8 bits are left. */
const NOT_FOUND_STATUS = -constants.errno.ENOENT & 0xff;

/**
 * Compiles `options.sourceFile`, saying what the original says. Where the original says nothing, or aborts, the
 * error of this library says why.
 *
 * @throws CommandExit where the text is refused
 */
export async function compileStage(options: CrushtoolOptions, err: TextSink): Promise<CrushDraft> {
  const { sourceFile, release, verbose } = options;
  const text = await readSource(sourceFile);
  const reasons: string[] = [];
  const listener: CompileListener = {
    verbose,
    say: (words) => {
      err.add(words);
    },
    refuse: (words) => reasons.push(words),
    formatWeight,
  };
  try {
    return CrushDraft.from(compileCrushText(text, { fileName: sourceFile, release, listener }));
  } catch (error) {
    if (!(error instanceof CrushError)) throw error;
    const [reason = `crushtool: ${error.at({ file: sourceFile }).describe()}\n`] = reasons;
    throw new CommandExit(1, reason);
  }
}

/** Writes the text of a map to `options.outputFile`, or prints it; as far as it goes, as the original does. */
export async function decompileStage(
  map: CrushMap,
  options: CrushtoolOptions,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  const { outputFile, release } = options;
  const { text, failure } = decompileCrush(map, { release });
  if (outputFile === '') out.add(text);
  else await writeText(outputFile, text);
  if (failure === undefined) return;
  err.add(failure.words === '' ? `crushtool: ${failure.error.describe()}\n` : failure.words);
}

/** The text of a file; a folder is empty to the original. */
async function readSource(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readFileBytes(file));
  } catch (error) {
    if (error instanceof CrushError) throw error.at({ file });
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') return '';
    throw new CommandExit(NOT_FOUND_STATUS, `input file ${file} not found\n`);
  }
}

async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeFileLikeCeph('crushtool', file, new TextEncoder().encode(text));
  } catch (error) {
    if (!(error instanceof CommandExit)) throw error;
    throw new CommandExit(error.status, `crushtool: error writing '${file}'\n`);
  }
}
