/** Reads the binary maps that the crushtool drop-in is given. */
import type { CrushMap } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { noteTo, readCrushMapFile, readFileLikeCeph } from '../load.ts';

/**
 * Reads a map, or its JSON.
 *
 * @throws CommandExit with the original's words where the original would fail too
 */
export async function readMapOrExit(file: string, io: CommandIo, err: TextSink): Promise<CrushMap> {
  let bytes: Uint8Array;
  if (file === '-' && io.stdinIsTerminal) throw new CommandExit(1, 'stdin must not be from a tty\n');
  try {
    bytes = await readFileLikeCeph(file, io);
  } catch (error) {
    if (!(error instanceof CrushError) || error.code !== 'io') throw error;
    throw new CommandExit(1, `crushtool: error reading '${file}': ${error.message}\n`);
  }
  try {
    return await readCrushMapFile(bytes, file, noteTo(err, file));
  } catch (error) {
    if (!(error instanceof CrushError) || error.code === 'unsupported') throw error;
    throw new CommandExit(1, `crushtool: unable to decode ${file}\n`);
  }
}
