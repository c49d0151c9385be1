/**
 * The command line: commands for people, read by commander, and the drop-ins for Ceph's own tools, which read
 * their arguments as the originals do.
 */
import { CrushError } from '../errors.ts';
import { CommandExit, forgiving, oneLine, OutputClosed, type CommandIo } from './io.ts';

type DropIn = (argv: readonly string[], io: CommandIo) => Promise<number>;

/** By name, each loaded when it is run: a process that runs one of them need not wait for the others. */
const DROP_INS: ReadonlyMap<string, () => Promise<DropIn>> = new Map([
  ['osdmaptool', async () => (await import('./osdmaptool/main.ts')).osdmaptool],
  ['crushtool', async () => (await import('./crushtool/main.ts')).crushtool],
]);

/**
 * Runs a command line and gives its exit status: 0 for success, 1 for failure, 2 for misuse; the drop-ins have
 * the originals'. Never throws.
 *
 * @param argv - Arguments without the program's name.
 */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  io = { ...io, stderr: forgiving(io.stderr) };
  try {
    return await report(run(argv, io), io);
  } catch {
    return 1; // The last words of a failure could not be written.
  }
}

async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  const [name = '', ...rest] = argv;
  const dropIn = DROP_INS.get(name);
  if (dropIn !== undefined) return (await dropIn())(rest, io);
  if (name === 'help' && rest[0] === 'crushtool') {
    return (await import('./crushtool/main.ts')).explainCrushtool(io);
  }
  const explained = name === 'help' ? DROP_INS.get(rest[0] ?? '') : undefined;
  if (explained !== undefined) return (await explained())(['--help'], io);
  const { runCommand } = await import('./commands.ts');
  return runCommand(argv, io, [...DROP_INS.keys()]);
}

/** Turns failures into a line on standard error and a status. */
async function report(running: Promise<number>, io: CommandIo): Promise<number> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    if (error instanceof CommandExit) {
      if (error.stderr !== '') await io.stderr.write(error.stderr);
      if (error.stdout !== '') await io.stdout.write(error.stdout).catch(ignoreClosed);
      return error.status;
    }
    if (error instanceof CrushError) {
      await io.stderr.write(`crush-wasm: ${oneLine(error.describe())}\n`);
      return 1;
    }
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    await io.stderr.write(
      `crush-wasm: unexpected failure (${oneLine(what)}); please report it, with the command and the file\n`,
    );
    return 1;
  }
}

/** A reader that went away takes nothing from what a command has to say with its status. */
function ignoreClosed(error: unknown): void {
  if (!(error instanceof OutputClosed)) throw error;
}
