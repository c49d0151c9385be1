/** The command line of the crushtool drop-in: everything that the original takes, in one record. */
import { CephArguments } from '../ceph-arguments.ts';
import { CommandExit, type TextSink } from '../io.ts';
import { PACIFIC, takeRelease } from '../release-option.ts';
import { takeThreads } from '../thread-option.ts';
import { noEdits, parseEdit, sortEdits, type EditOptions } from './edit-options.ts';
import { noTest, parseTest, type TestOptions } from './test-options.ts';
import { OUTPUT_HELP } from './usage.ts';

/** One layer of `--build`. */
export interface Layer {
  readonly name: string;
  /** Name of a bucket algorithm, unchecked. */
  readonly algorithm: string;
  /** Items a bucket; 0 is for one bucket that holds all. */
  readonly size: number;
}

/** What the command line asks for. */
export interface CrushtoolOptions extends EditOptions, TestOptions {
  /** Ceph release to print as. */
  release: number;
  /** Whether that release was asked for. */
  isReleaseGiven: boolean;
  /** Threads to map with; undefined is for as many as pay. */
  threads: number | undefined;
  verbose: number;
  /** The map to read, '' for none. */
  inputFile: string;
  outputFile: string;
  decompile: boolean;
  compile: boolean;
  /** The text to compile. */
  sourceFile: string;
  /** Whether tunables may be compiled that Ceph calls unsafe. */
  enableUnsafeTunables: boolean;
  build: boolean;
  numOsds: number;
  layers: readonly Layer[];
  tree: boolean;
  bucketTree: boolean;
  bucketName: string;
  dump: boolean;
  dumpFormat: string;
  /** Device whose location to print; below 0 for none. */
  showLocation: number;
  check: boolean;
  /** Ids of devices must be below; below 0 nothing is checked. */
  checkMaxId: number;
  /** Another map to compare mappings with, '' for none. */
  compareFile: string;
}

/**
 * Reads the command line as the original does.
 *
 * @param out - gets what the original prints while it reads
 * @param err - gets what it says before it is sure
 * @throws CommandExit where the original ends
 */
export function parseCrushtoolOptions(
  argv: readonly string[],
  out: TextSink,
  err: TextSink,
): CrushtoolOptions {
  const { release, isGiven: isReleaseGiven, rest: others } = takeRelease(argv);
  const { threads, rest } = takeThreads(others);
  if (rest.length === 0) throw new CommandExit(1, 'crushtool: -h or --help for usage\n');
  const options: CrushtoolOptions = {
    ...noEdits(),
    ...noTest(),
    release,
    isReleaseGiven,
    threads,
    verbose: 0,
    inputFile: '',
    outputFile: '',
    decompile: false,
    compile: false,
    sourceFile: '',
    enableUnsafeTunables: false,
    build: false,
    numOsds: 0,
    layers: [],
    tree: false,
    bucketTree: false,
    bucketName: '',
    dump: false,
    dumpFormat: 'json-pretty',
    showLocation: -1,
    check: false,
    checkMaxId: -1,
    compareFile: '',
  };
  const args = new CephArguments(rest);
  while (args.more && !args.doubleDash()) {
    const isTaken =
      parseFiles(args, options) ||
      parseDisplay(args, options) ||
      parseTest(args, options, release > PACIFIC) ||
      parseEdit(args, options, release, out);
    if (!isTaken) args.skip();
  }
  options.complaints = args.complaints;
  checkActions(options, err);
  options.layers = parseLayers(args.rest, options.build);
  sortEdits(options);
  return options;
}

function parseFiles(args: CephArguments, options: CrushtoolOptions): boolean {
  const decompile = (text: string): void => {
    options.inputFile = text;
    options.decompile = true;
  };
  const compile = (text: string): void => {
    options.sourceFile = text;
    options.compile = true;
  };
  if (args.integer(['--num-osds'], (value) => (options.numOsds = value))) {
    args.failOnComplaint();
    return true;
  }
  return (
    args.text(['-d', '--decompile'], decompile) ||
    args.text(['-i', '--infn'], (text) => (options.inputFile = text)) ||
    args.text(['-o', '--outfn'], (text) => (options.outputFile = text)) ||
    args.text(['-c', '--compile'], compile) ||
    args.flag(['-v', '--verbose'], () => options.verbose++) ||
    args.flag(['--enable-unsafe-tunables'], () => (options.enableUnsafeTunables = true)) ||
    args.flag(['--build'], () => (options.build = true))
  );
}

function parseDisplay(args: CephArguments, options: CrushtoolOptions): boolean {
  if (args.integer(['--check'], (value) => (options.checkMaxId = value))) {
    options.check = true;
    return true;
  }
  return (
    args.flag(['--tree'], () => (options.tree = true)) ||
    args.flag(['--bucket-tree'], () => (options.bucketTree = true)) ||
    args.text(['-b', '--bucket-name'], (text) => (options.bucketName = text)) ||
    args.flag(['--dump'], () => (options.dump = true)) ||
    args.text(['-f', '--format'], (text) => (options.dumpFormat = text)) ||
    args.integer(['--show-location'], (value) => (options.showLocation = value)) ||
    args.text(['--compare'], (text) => (options.compareFile = text)) ||
    args.flag(['--help-output'], () => {
      throw new CommandExit(0, '', OUTPUT_HELP);
    })
  );
}

/** Ends a command that asks for nothing, or for too much. */
function checkActions(options: CrushtoolOptions, err: TextSink): void {
  const { test, check, compareFile, compile, decompile, build } = options;
  const shows =
    options.showMappings ||
    options.showBadMappings ||
    options.showStatistics ||
    options.showUtilization ||
    options.showUtilizationAll ||
    options.showChooseTries;
  if (test && !check && !shows && !options.outputCsv && compareFile === '') {
    err.add('WARNING: no output selected; use --output-csv or --show-X\n');
  }
  if (Number(decompile) + Number(compile) + Number(build) > 1) {
    throw new CommandExit(1, 'cannot specify more than one of compile, decompile, and build\n');
  }
  const acts = [
    ...[check, compile, decompile, build, test, options.reweight, options.adjust, options.tree, options.dump],
    ...[options.addItem >= 0, options.addBucket, options.moveItem, options.addRule, options.removeRule],
    ...[options.showLocation >= 0, options.bucketTree, options.reclassify, options.rebuildClassRoots],
    ...[compareFile !== '', options.removeName !== '', options.reweightName !== ''],
  ];
  if (!acts.includes(true)) throw new CommandExit(1, 'no action specified; -h for help\n');
}

/** What is left of the command line: the layers to build, in threes. */
function parseLayers(rest: readonly string[], build: boolean): readonly Layer[] {
  const list = `[${rest.join(',')}]`;
  if (!build && rest.length > 0) throw new CommandExit(1, `unrecognized arguments: ${list}\n`);
  if (rest.length % 3 !== 0) {
    throw new CommandExit(
      1,
      `remaining args: ${list}\n` + 'layers must be specified with 3-tuples of (name, buckettype, size)\n',
    );
  }
  const layers: Layer[] = [];
  for (let i = 0; i < rest.length; i += 3) {
    const [name = '', algorithm = '', size = ''] = rest.slice(i, i + 3);
    layers.push({ name, algorithm, size: atoi(size) });
  }
  return layers;
}

/** The decimal 32-bit integer a text begins with, or 0 (`atoi`, which keeps the lowest bits of a greater one). */
function atoi(text: string): number {
  const digits = /^[ \t\n\v\f\r]*([+-]?[0-9]+)/.exec(text)?.[1] ?? '0';
  const most = 0x7fffffffffffffffn;
  const value = BigInt(digits.replace(/^[+-]/, ''));
  const kept = digits.startsWith('-') ? -(value > most ? most + 1n : value) : value > most ? most : value;
  return Number(BigInt.asIntN(32, kept));
}
