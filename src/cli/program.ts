/**
 * The command line: commands for people, read by commander, and the drop-ins for Ceph's own tools, which read
 * their arguments as the originals do.
 */
import { Command, CommanderError } from 'commander';
import { CrushError } from '../errors.ts';
import { crushtool } from './crushtool/main.ts';
import { infoCommand, type InfoOptions } from './info-command.ts';
import {
  CommandExit,
  forgiving,
  MISUSE,
  misuse,
  OutputClosed,
  TextSinks,
  type CommandIo,
  type TextSink,
} from './io.ts';
import { mapCommand, type MapOptions } from './map-command.ts';
import { TABLE_HELP } from './map-writers.ts';
import { osdmaptool } from './osdmaptool/main.ts';
import { packageVersion } from './package-root.ts';
import { startCommand, type StartOptions } from './start-command.ts';

type DropIn = (argv: readonly string[], io: CommandIo) => Promise<number>;
const DROP_INS: Readonly<Record<string, DropIn>> = { osdmaptool, crushtool };

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
  const dropIn = DROP_INS[name];
  if (dropIn !== undefined) return dropIn(rest, io);
  const explained = name === 'help' ? DROP_INS[rest[0] ?? ''] : undefined;
  if (explained !== undefined) return explained(['--help'], io);

  const sinks = new TextSinks(io);
  try {
    await buildProgram(io, sinks.out, sinks.err).parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is a success; help for want of a command is not.
    return error.exitCode === 0 ? 0 : MISUSE;
  } finally {
    await sinks.flush();
  }
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
      outputError: (text, write) => write(`crush-wasm: ${oneLine(text.replace(/^error: /, '').trimEnd())}\n`),
      getOutHelpWidth: () => io.stdout.columns,
      getErrHelpWidth: () => io.stderr.columns,
    })
    .showSuggestionAfterError();
  program
    .command('map')
    .description('map the PGs of an OSDMap, one PG, one object, or inputs of a CRUSH map')
    .argument('<file>', "an OSDMap or CRUSH map, binary or JSON, gzip or not; '-' is standard input")
    .argument('[crush-file]', "the CRUSH map, when FILE is the JSON of 'ceph osd dump'")
    .option('--pool <name-or-id>', 'only this pool; may be given for several', gather)
    .option('--pg <pgid>', 'only this PG, such as 4.1f, or 4.1fs0 for the PG of a shard', once('--pg'))
    .option('--object <name>', 'where this object of --pool lives', once('--object'))
    .option('--namespace <namespace>', "the object's namespace", once('--namespace'))
    .option('--key <key>', "the object's locator key, if it has one", once('--key'))
    .option('--rule <name-or-id>', 'of a CRUSH map: the rule to map with', once('--rule'))
    .option('--num-rep <n>', 'of a CRUSH map: items a mapping', once('--num-rep'))
    .option('--min-x <x>', 'of a CRUSH map: first input (0)', once('--min-x'))
    .option('--max-x <x>', 'of a CRUSH map: last input (1023)', once('--max-x'))
    .option(
      '--pg-num <n>',
      'pretend that the pools have n PGs, all of them split (pgp_num is n too)',
      once('--pg-num'),
    )
    .option('--format <format>', 'table, json, ndjson or csv', 'table')
    .option(
      '--threads <n>',
      "threads to map with (default: the machine's, 1 for what is short)",
      once('--threads'),
    )
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .addHelpText('after', TABLE_HELP)
    .action((file: string, crushFile: string | undefined, options: MapOptions) =>
      mapCommand(file, crushFile, options, io, out, err),
    );
  program
    .command('info')
    .description('say what a map file is and what is in it')
    .argument('<file>', "an OSDMap or CRUSH map; '-' is standard input")
    .argument('[crush-file]', "the CRUSH map, when FILE is the JSON of 'ceph osd dump'")
    .option('--format <format>', 'text or json', 'text')
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .action((file: string, crushFile: string | undefined, options: InfoOptions) =>
      infoCommand(file, crushFile, options, io, out, err),
    );
  program
    .command('start')
    .description('map everything in a map, or in an example, and show how the OSDs fare')
    .argument('[file]', "an OSDMap or CRUSH map; '-' is standard input")
    .argument('[crush-file]', "the CRUSH map, when FILE is the JSON of 'ceph osd dump'")
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .action((file: string | undefined, crushFile: string | undefined, options: StartOptions) =>
      startCommand(file, crushFile, options, io, out, err),
    );
  for (const name of Object.keys(DROP_INS)) {
    // Only for the list of commands; their arguments never come here.
    program.command(name).description(`what Ceph's ${name} prints, from the same arguments`);
  }
  return program;
}

/** Takes an option that may be given several times. */
function gather(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** Takes an option whose earlier value would be forgotten if it were given again. */
function once(name: string): (value: string, earlier: string | undefined) => string {
  return (value, earlier) => {
    if (earlier !== undefined) throw misuse(`${name} is given twice`);
    return value;
  };
}
