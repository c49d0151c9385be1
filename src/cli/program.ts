/**
 * The command line: commands for people, read by commander, and the drop-ins for Ceph's own tools, which read
 * their arguments as the originals do.
 */
import { Command, CommanderError } from 'commander';
import { CrushError } from '../errors.ts';
import { crushtool } from './crushtool.ts';
import { CommandExit, OutputClosed, TextSink, type CommandIo } from './io.ts';
import { osdmaptool } from './osdmaptool.ts';
import { packageVersion } from './version.ts';

const ISSUES = 'https://github.com/crush-wasm/crush-wasm/issues';
/** Exit status of a command that was misused. */
const MISUSE = 2;

type DropIn = (argv: readonly string[], io: CommandIo) => Promise<number>;
const DROP_INS: Readonly<Record<string, DropIn>> = { osdmaptool, crushtool };

/**
 * Runs a command line and gives its exit status: 0 for success, 1 for failure, 2 for misuse; the drop-ins have
 * the originals'. Never throws.
 *
 * @param argv - Arguments without the program's name.
 */
export async function main(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await report(run(argv, io), io);
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    return 1; // Not even standard error can be written.
  }
}

async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  const dropIn = DROP_INS[argv[0] ?? ''];
  if (dropIn !== undefined) return dropIn(argv.slice(1), io);

  const out = new TextSink(io.stdout);
  const err = new TextSink(io.stderr);
  try {
    await buildProgram(io, out, err).parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : MISUSE;
  } finally {
    await out.flush();
    await err.flush();
  }
}

/** Turns failures into a line on standard error and a status. */
async function report(running: Promise<number>, io: CommandIo): Promise<number> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof OutputClosed) return 0;
    if (error instanceof CommandExit) {
      if (error.stdout !== '') await io.stdout.write(error.stdout);
      if (error.stderr !== '') await io.stderr.write(error.stderr);
      return error.status;
    }
    if (error instanceof CrushError) {
      await io.stderr.write(`crush-wasm: ${oneLine(error.describe())}\n`);
      return 1;
    }
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    await io.stderr.write(
      `crush-wasm: unexpected failure (${oneLine(what)}); please report it at ${ISSUES}\n`,
    );
    return 1;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function buildProgram(io: CommandIo, out: TextSink, err: TextSink): Command {
  const program = new Command('crush-wasm');
  program
    .description("Ceph's placement, bit for bit: which OSDs hold a PG or an object, from a map file alone.")
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => out.add(text),
      writeErr: (text) => err.add(text),
      outputError: (text, write) => write(`crush-wasm: ${text.replace(/^error: /, '')}`),
      getOutHelpWidth: () => io.stdout.columns,
      getErrHelpWidth: () => io.stderr.columns,
    })
    .showSuggestionAfterError();
  for (const name of Object.keys(DROP_INS)) {
    // Only for the list of commands; their arguments never come here.
    program.command(name).description(`what Ceph's ${name} prints, from the same arguments`);
  }
  return program;
}
