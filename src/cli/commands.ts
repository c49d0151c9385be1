/** Commands for people, as commander reads them. Each loads what it runs when it is run. */
import { Command, CommanderError, Option } from 'commander';
import type { ExplainCommandOptions } from './explain-command.ts';
import { EXPLAIN_HELP } from './explain-help.ts';
import { COMPARE_COLUMNS } from './compare-help.ts';
import type { CompareCommand } from './compare-command.ts';
import type { InfoOptions } from './info-command.ts';
import { MISUSE, misuse, oneLine, printable, TextSinks, type CommandIo, type TextSink } from './io.ts';
import type { MapOptions } from './map-command.ts';
import { TABLE_HELP } from './map-writers.ts';
import type { MdsDecideOptions } from './mds-command.ts';
import { MDS_DECIDE_HELP } from './mds-help.ts';
import type { MdsPlanOptions } from './mds-plan-command.ts';
import { MDS_PLAN_HELP } from './mds-plan-help.ts';
import type { MdsSimulateOptions } from './mds-simulate-command.ts';
import { MDS_SIMULATE_HELP } from './mds-simulate-help.ts';
import { packageVersion } from './package-root.ts';
import type { StartOptions } from './start-command.ts';
import type { WhatIfCommand } from './whatif-command.ts';
import { CHANGES_HELP } from './whatif-help.ts';
import type { TestOptions } from './test-command.ts';

/** Explains the columns and the exit status of `test`. */
const TEST_HELP = `
Columns of the tables: COUNT is how often a row was chosen, EXPECTED how often its weight lets expect, OFF BY the
difference in percent, SIGMAS the difference in standard deviations of chance alone: within 2 or 3 is nothing.
'chance alone' is the spread that so few mappings give by themselves; choose_args default are those of pools
without their own. fine, hint and FAULT are what follows from it all.

Exit status: 0 where all is well, 3 where the map has errors or mappings are bad, 1 for what cannot be read, 2 for
wrong arguments. Warnings and notes leave it at 0.`;

/**
 * Runs a command line that names none of the drop-ins, and gives its exit status.
 *
 * @param dropIns - names of the drop-ins, for the list of commands
 */
export async function runCommand(
  argv: readonly string[],
  io: CommandIo,
  dropIns: readonly string[],
): Promise<number> {
  const sinks = new TextSinks(io, printable);
  try {
    await buildProgram(io, sinks.out, sinks.err, dropIns).parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help that was asked for is a success; help for want of a command is not.
    return error.exitCode === 0 ? 0 : MISUSE;
  } finally {
    await sinks.flush();
  }
}

function buildProgram(io: CommandIo, out: TextSink, err: TextSink, dropIns: readonly string[]): Command {
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
    .addOption(crushFileOption())
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
    .action(async (file: string, crushFile: string | undefined, options: MapOptions & CrushFileOption) => {
      const { mapCommand } = await import('./map-command.ts');
      await mapCommand(file, crushFileOf(crushFile, options), options, io, out, err);
    });
  program
    .command('info')
    .description('say what a map file is and what is in it')
    .argument('<file>', "an OSDMap or CRUSH map; '-' is standard input")
    .argument('[crush-file]', "the CRUSH map, when FILE is the JSON of 'ceph osd dump'")
    .addOption(crushFileOption())
    .option('--format <format>', 'text or json', 'text')
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .action(async (file: string, crushFile: string | undefined, options: InfoOptions & CrushFileOption) => {
      const { infoCommand } = await import('./info-command.ts');
      await infoCommand(file, crushFileOf(crushFile, options), options, io, out, err);
    });
  program
    .command('test')
    .description('show where rules put data, against weight, and what is wrong with a map')
    .argument('<file>', "an OSDMap or CRUSH map; '-' is standard input")
    .argument('[crush-file]', "the CRUSH map, when FILE is the JSON of 'ceph osd dump'")
    .addOption(crushFileOption())
    .option('--rule <name-or-id>', 'only this rule; may be given for several', gather)
    .option(
      '--pool <name-or-id>',
      'of an OSDMap: only the rule of this pool; may be given for several',
      gather,
    )
    .option(
      '--size <n>',
      "OSDs a mapping (default: the pools', else 3, and 6 for erasure coding)",
      once('--size'),
    )
    .option('--samples <n>', 'inputs to map (default: for about 1,000 of each OSD)', once('--samples'))
    .option('--min-x <x>', 'first input (0)', once('--min-x'))
    .option('--max-x <x>', 'last input', once('--max-x'))
    .option('--top <n>', 'rows of each table: those furthest off (10)', once('--top'))
    .option('--all', 'all rows, in order, and all problems')
    .option('--format <format>', 'table, json or csv', 'table')
    .option('--chart <file>', 'write a chart too, as SVG', once('--chart'))
    .option(
      '--threads <n>',
      "threads to map with (default: the machine's, 1 for what is short)",
      once('--threads'),
    )
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .addHelpText('after', TEST_HELP)
    .action(async (file: string, crushFile: string | undefined, options: TestOptions & CrushFileOption) => {
      const { testCommand } = await import('./test-command.ts');
      await testCommand(file, crushFileOf(crushFile, options), options, io, out, err);
    });
  program
    .command('explain')
    .description('say step by step why a PG or an object lies where it lies, or how a rule maps an input')
    .argument('<file>', "an OSDMap or CRUSH map; '-' is standard input")
    .argument('[pgid]', 'of an OSDMap: the PG, such as 4.1f, or 4.1fs0 for the PG of a shard')
    .addOption(crushFileOption())
    .addOption(new Option('--crush <file>').argParser(once('--crush')).hideHelp())
    .option('--pool <name-or-id>', 'the pool of --object', once('--pool'))
    .option('--object <name>', 'an object of --pool, in place of a PG', once('--object'))
    .option('--namespace <namespace>', "the object's namespace", once('--namespace'))
    .option('--key <key>', "the object's locator key, if it has one", once('--key'))
    .option('--rule <name-or-id>', 'of a CRUSH map: the rule to map with', once('--rule'))
    .option('--x <x>', 'of a CRUSH map: the input', once('--x'))
    .option('--num-rep <n>', 'of a CRUSH map: items of the mapping', once('--num-rep'))
    .option('--verbose', 'all attempts, and the draws of all items of each bucket')
    .option('--format <format>', 'text or json', 'text')
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .addHelpText('after', EXPLAIN_HELP)
    .action(
      async (file: string, pgid: string | undefined, options: ExplainCommandOptions & CrushFileOption) => {
        const { explainCommand } = await import('./explain-command.ts');
        const crush = crushFileOf(options.crush, options, '--crush and --crush-file exclude each other');
        await explainCommand(file, pgid, { ...options, ...(crush !== undefined && { crush }) }, io, out, err);
      },
    );
  compareOptions(program.command('compare'))
    .description('say what moves between two maps, why, and what of it had to; status 3 if anything does')
    .argument('<before>', "an OSDMap or CRUSH map of any form; '-' is standard input")
    .argument('<after>', 'another; of an OSDMap and a CRUSH map the latter is laid into the former')
    .option('--osdmap <file>', 'the OSDMap to lay two CRUSH maps into', once('--osdmap'))
    .option(
      '--crush-file <file>',
      "the CRUSH map of maps that are the JSON of 'ceph osd dump'; given twice: BEFORE's and AFTER's",
      gather,
    )
    .addHelpText('after', `\n${COMPARE_COLUMNS}`)
    .action(async (before: string, after: string, options: CompareCommand) => {
      const { compareCommand } = await import('./compare-command.ts');
      await compareCommand([before, after], options, io, out, err);
    });
  compareOptions(program.command('whatif'))
    .description('say what changes to a cluster would move, before they are made; status 3 if anything does')
    .argument('<file>', "an OSDMap of any form; '-' is standard input")
    .argument('[change...]', 'changes, see below')
    .addOption(crushFileOption())
    .option('--changes <file>', 'read changes from this file too', once('--changes'))
    .option('--save <file>', 'write the OSDMap after the changes', once('--save'))
    .option('--keep-upmaps', "leave upmaps in place that Ceph's monitor would take away")
    .option(
      '--fail-each <type>',
      'after the changes let each host, rack or osd fail in turn, worst first',
      once('--fail-each'),
    )
    .option('--stage', 'print upmaps that hold PGs in place with the change, and how to let them go')
    .option('--plan <file>', 'write them as a shell script, and print what they come to', once('--plan'))
    .option(
      '--shards-per-osd <n>',
      'most shards an OSD takes or gives in a batch of --stage (for 20 batches)',
      once('--shards-per-osd'),
    )
    .addHelpText('after', CHANGES_HELP)
    .action(async (file: string, words: string[], options: WhatIfCommand) => {
      const { whatIfCommand } = await import('./whatif-command.ts');
      await whatIfCommand(file, words, options, io, out, err);
    });
  const mds = program
    .command('mds')
    .description("foresee what CephFS's metadata balancer does, and plan what it does worse");
  mds
    .command('decide')
    .description('say what each rank would send to whom, which directories, and why')
    .argument('<files...>', "what metadata servers print, see below; '-' is standard input")
    .option('--fs <name>', "the file system, if 'ceph fs dump' has several", once('--fs'))
    .option(
      '--option <name=value>',
      'an option of the balancer, as in ceph.conf; may be given for several',
      gather,
    )
    .option('--beat <kind>', 'even or odd: these match ranks differently', 'even')
    .option('--overloaded-for <beats>', 'for how long ranks have been overloaded', once('--overloaded-for'))
    .option('--counters <how>', 'scaled to the sum of the last beat, or as-is', 'scaled')
    .option('--format <format>', 'text or json', 'text')
    .addHelpText('after', MDS_DECIDE_HELP)
    .action(async (files: string[], options: MdsDecideOptions) => {
      const { mdsDecideCommand } = await import('./mds-command.ts');
      await mdsDecideCommand(files, options, io, out);
    });
  mds
    .command('simulate')
    .description('simulate ranks under a workload: loads over time, exports, what goes back and forth')
    .argument('[files...]', "a workload, or what metadata servers print, see below; '-' is standard input")
    .option(
      '--generate <kind>',
      'make a workload: hot-directory, many-users, untar or mdtest',
      once('--generate'),
    )
    .option('--directories <n>', 'about how many directories --generate makes (200)', once('--directories'))
    .option('--rate <n>', 'about how many requests a second --generate makes (2000)', once('--rate'))
    .option('--ranks <n>', 'ranks (max_mds, as many as there are, or 2)', once('--ranks'))
    .option('--beats <n>', 'beats to simulate', '30')
    .option('--seed <n>', 'of what is left to chance', '1')
    .option(
      '--option <name=value>',
      'an option of the balancer, as in ceph.conf; may be given for several',
      gather,
    )
    .option('--vary <name=values>', 'simulate it with each of these values, side by side', gather)
    .option(
      '--pin <path=rank>',
      'pin a directory to a rank, or distributed; may be given for several',
      gather,
    )
    .option('--no-balance', 'only do what pins say, as with balance_automate off')
    .option(
      '--hit-order <how>',
      'which directory was hit last: drawn by chance, or the busiest (for reports)',
      once('--hit-order'),
    )
    .option('--print-workload', 'print the workload instead of simulating it')
    .option('--fs <name>', "the file system, if 'ceph fs dump' has several", once('--fs'))
    .option('--format <format>', 'text, json or csv', 'text')
    .option('--chart <file>', 'write a chart of the loads, as SVG', once('--chart'))
    .addHelpText('after', MDS_SIMULATE_HELP)
    .action(async (files: string[], options: MdsSimulateOptions) => {
      const { mdsSimulateCommand } = await import('./mds-simulate-command.ts');
      await mdsSimulateCommand(files, options, io, out);
    });
  mds
    .command('plan')
    .description('plan static pins that even out the load of ranks')
    .argument('<files...>', "what metadata servers print, see below; '-' is standard input")
    .option('--ranks <n>', 'ranks to plan for (max_mds, or as many as there are)', once('--ranks'))
    .option('--rank-mask <mask>', 'ranks to pin to: all, or hexadecimal (bal_rank_mask)', once('--rank-mask'))
    .option('--tolerance <part>', 'by how much a rank may be above its share', '10%')
    .option('--max-pins <n>', 'most pins to set', '64')
    .option('--repin', 'change static pins that are there, too')
    .option('--former <file>', 'an earlier plan (--format json) to keep to', once('--former'))
    .option('--compare <beats>', 'beats to simulate the balancer for beside the plan; 0 for none', '5')
    .option('--mount <path>', 'where the root of the file system is mounted, for the commands', '/mnt/cephfs')
    .option('--fs <name>', "the file system, if 'ceph fs dump' has several", once('--fs'))
    .option(
      '--option <name=value>',
      'an option of the balancer, as in ceph.conf; may be given for several',
      gather,
    )
    .option('--counters <how>', 'scaled to the sum of the last beat, or as-is', 'scaled')
    .option('--format <format>', 'text, json, or commands for a shell', 'text')
    .addHelpText('after', MDS_PLAN_HELP)
    .action(async (files: string[], options: MdsPlanOptions) => {
      const { mdsPlanCommand } = await import('./mds-plan-command.ts');
      await mdsPlanCommand(files, options, io, out);
    });
  program
    .command('start')
    .description('map everything in a map, or in an example, and show how the OSDs fare')
    .argument('[file]', "an OSDMap or CRUSH map; '-' is standard input")
    .argument('[crush-file]', "the CRUSH map, when FILE is the JSON of 'ceph osd dump'")
    .addOption(crushFileOption())
    .option('--ignore-crc', 'read an OSDMap although its checksum does not fit')
    .action(
      async (
        file: string | undefined,
        crushFile: string | undefined,
        options: StartOptions & CrushFileOption,
      ) => {
        const { startCommand } = await import('./start-command.ts');
        await startCommand(file, crushFileOf(crushFile, options), options, io, out, err);
      },
    );
  for (const name of dropIns) {
    // Only for the list of commands; their arguments never come here.
    program.command(name).description(`what Ceph's ${name} prints, from the same arguments`);
  }
  return program;
}

/** Options of commands that compare two maps. */
function compareOptions(command: Command): Command {
  return command
    .option('--pg-dump <file>', "the JSON of 'ceph pg dump', for objects and bytes", once('--pg-dump'))
    .option('--pgs', 'list every PG that changes, with its cause')
    .option('--acting', 'compare acting sets, where temps have PGs served, not up sets')
    .option('--order-free', 'a shard of an erasure pool that only changes its position does not move')
    .option('--by <type>', 'show flows between buckets of this type (host); may be given for several', gather)
    .option('--limit <n>', 'rows of each table of flows (10)', once('--limit'))
    .option('--format <format>', 'table, json, or csv: a row for each PG that changes', 'table')
    .option('--ignore-crc', 'read OSDMaps although their checksums do not fit');
}

/** What commands take that read the JSON of `ceph osd dump`. */
interface CrushFileOption {
  readonly crushFile?: string;
}

function crushFileOption(): Option {
  return new Option(
    '--crush-file <file>',
    "the CRUSH map, when FILE is the JSON of 'ceph osd dump'",
  ).argParser(once('--crush-file'));
}

/** The CRUSH map that goes with a dump, given in one of two ways. */
function crushFileOf(
  other: string | undefined,
  { crushFile }: CrushFileOption,
  problem = 'the CRUSH map is given twice, as an argument and by --crush-file',
): string | undefined {
  if (other !== undefined && crushFile !== undefined) throw misuse(problem);
  return other ?? crushFile;
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
