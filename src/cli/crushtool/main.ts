/**
 * The crushtool drop-in: the original's arguments, its bytes on standard output, its exit status. Follows Ceph's
 * src/tools/crushtool.cc.
 */
import type { CrushMap } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { testCrushMap } from './tester.ts';
import { CRUSHTOOL_USAGE, parseCrushtoolOptions } from './options.ts';
import { CommandExit, TextSinks, type CommandIo, type TextSink } from '../io.ts';
import { naming, noteTo, readCrushMapFile, readFileLikeCeph } from '../load.ts';

/** Runs `crushtool ARGV` and gives its exit status. */
export async function crushtool(argv: readonly string[], io: CommandIo): Promise<number> {
  if (argv.includes('-h') || argv.includes('--help')) {
    await io.stdout.write(CRUSHTOOL_USAGE);
    return 0;
  }
  const sinks = new TextSinks(io);
  const { out, err } = sinks;
  try {
    const options = parseCrushtoolOptions(argv, (text) => err.add(text));
    const map = options.file === '' ? undefined : await readMapOrExit(options.file, io, err);
    if (map !== undefined && options.test) {
      const tunables = { ...map.tunables, ...chosen(options.tunables) };
      await naming(() => testCrushMap({ ...map, tunables }, options, io, out, err), options.file);
    }
    if (Object.keys(chosen(options.tunables)).length > 0) {
      out.add("crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n");
    }
  } finally {
    await sinks.flush();
  }
  return 0;
}

/** Reads the map, failing with the original's words where the original would fail too. */
async function readMapOrExit(file: string, io: CommandIo, err: TextSink): Promise<CrushMap> {
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

/** The tunables that were given a value; a negative one leaves the map's. */
function chosen(tunables: Readonly<Record<string, number | undefined>>): Record<string, number> {
  const values: Record<string, number> = {};
  for (const [name, value] of Object.entries(tunables)) {
    if (value !== undefined && value >= 0) values[name] = value;
  }
  return values;
}
