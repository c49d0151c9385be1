/** The command line of the osdmaptool drop-in. */
import { RELEASE } from '../../formats/releases.ts';
import { intOfDouble, stod, stoi, type NumberFailure } from '../c-numbers.ts';
import { CephArguments, parseLongInteger } from '../ceph-arguments.ts';
import { takeGlobalOptions } from '../ceph-global-options.ts';
import { CommandExit } from '../io.ts';
import { takeRelease } from '../release-option.ts';
import { takeThreads } from '../thread-option.ts';
import { takePoolSettings, type PoolSettings } from './settings.ts';
import { usageOf } from './usage.ts';

/** What the command line asks for. */
export interface OsdmaptoolOptions {
  /** Ceph release to print as. */
  release: number;
  /** Threads to map with; undefined is for as many as pay. */
  threads: number | undefined;
  file: string;
  print: boolean;
  /** Format of `--dump`: '' is for plain. */
  dumpFormat: string;
  tree: boolean;
  /** Format of `--tree`: '' is for plain. */
  treeFormat: string;
  health: boolean;
  createSimple: boolean;
  createFromConf: boolean;
  /** Ceph's configuration file, '' for none. */
  confFile: string;
  /** Settings of configuration that the command line itself gives. */
  settings: PoolSettings;
  osdCount: number;
  pgBits: number;
  pgpBits: number;
  withDefaultPool: boolean;
  clobber: boolean;
  exportCrush: string;
  importCrush: string;
  adjustCrushWeight: string;
  save: boolean;
  pool: number;
  pgNum: bigint;
  markUpIn: boolean;
  markOut: number;
  markUp: number;
  markIn: number;
  clearTemp: boolean;
  cleanTemps: boolean;
  upmapCleanup: boolean;
  /** Where the commands of `--upmap-cleanup` go; `-` is standard output. */
  upmapFile: string;
  vstart: boolean;
  rangeFirst: number;
  rangeLast: number;
  testMapPg: string;
  testMapObject: string;
  testMapPgs: boolean;
  testMapPgsDump: boolean;
  testMapPgsDumpAll: boolean;
  testRandom: boolean;
}

/** Options of the original that balance, which this version does not, and one that never comes to an end. */
const UNSUPPORTED_FLAGS = [
  '--test-crush',
  '--upmap-active',
  // These ask for configuration, of which there is none.
  '--show-args',
  '--show-conf',
  '--show-config',
];
const UNSUPPORTED_VALUES = [
  '--upmap',
  '--upmap-max',
  '--upmap-deviation',
  '--upmap-seed',
  '--upmap-pool',
  '--show-config-value',
];
/** The same since Reef; before, they are no options at all. */
const UNSUPPORTED_REEF_FLAGS = ['--osd-size-aware'];
const UNSUPPORTED_REEF_VALUES = ['--read', '--read-pool'];

/** Reads the command line as the original does; `warn` gets what it says of Ceph's own options before it goes on. */
export function parseOsdmaptoolOptions(
  argv: readonly string[],
  warn: (text: string) => void,
): OsdmaptoolOptions {
  const { release, rest: others } = takeRelease(argv);
  const { threads, rest } = takeThreads(others);
  if (rest.length === 0) throw new CommandExit(1, 'osdmaptool: -h or --help for usage\n');
  if (rest.includes('-h') || rest.includes('--help')) throw new CommandExit(1, '', usageOf(release));
  const options: OsdmaptoolOptions = {
    ...DEFAULTS,
    release,
    threads,
  };
  const own = takeGlobalOptions(rest, warn, (file) => (options.confFile = file));
  const { settings, rest: left } = takePoolSettings(own, warn);
  options.settings = settings;
  const args = new CephArguments(left);
  while (args.more && !args.doubleDash()) {
    if (!parseOne(args, options)) args.skip();
  }
  if (args.rest.length === 0) throw usageError('osdmaptool: must specify osdmap filename\n', release);
  if (args.rest.length > 1) throw usageError('osdmaptool: too many arguments\n', release);
  options.file = args.rest[0] ?? '';
  return options;
}

/** A misuse: the complaint on standard error, the usage on standard output. */
export function usageError(complaint: string, release: number): CommandExit {
  return new CommandExit(1, complaint, usageOf(release));
}

const DEFAULTS: Omit<OsdmaptoolOptions, 'release' | 'threads'> = {
  file: '',
  print: false,
  dumpFormat: '',
  tree: false,
  treeFormat: '',
  health: false,
  createSimple: false,
  createFromConf: false,
  confFile: '',
  settings: {},
  osdCount: 0,
  pgBits: 6,
  pgpBits: 6,
  withDefaultPool: false,
  clobber: false,
  exportCrush: '',
  importCrush: '',
  adjustCrushWeight: '',
  save: false,
  pool: -1,
  pgNum: -1n,
  markUpIn: false,
  markOut: -1,
  markUp: -1,
  markIn: -1,
  clearTemp: false,
  cleanTemps: false,
  upmapCleanup: false,
  upmapFile: '-',
  vstart: false,
  rangeFirst: -1,
  rangeLast: -1,
  testMapPg: '',
  testMapObject: '',
  testMapPgs: false,
  testMapPgsDump: false,
  testMapPgsDumpAll: false,
  testRandom: false,
};

function parseOne(args: CephArguments, options: OsdmaptoolOptions): boolean {
  return (
    parseOutput(args, options) ||
    parseCreation(args, options) ||
    parseEdits(args, options) ||
    parseTests(args, options) ||
    unsupported(args, options.release)
  );
}

function parseOutput(args: CephArguments, options: OsdmaptoolOptions): boolean {
  return (
    args.flag(['-p', '--print'], () => (options.print = true)) ||
    args.lenientText(['--dump'], (format) => {
      options.print = true;
      if (format !== '' && format !== 'plain') options.dumpFormat = format;
    }) ||
    args.lenientText(['--tree'], (format) => {
      options.tree = true;
      if (format !== '' && format !== 'plain') options.treeFormat = format;
    }) ||
    args.flag(['--health'], () => (options.health = true)) ||
    args.text(['--export-crush'], (file) => (options.exportCrush = file))
  );
}

function parseCreation(args: CephArguments, options: OsdmaptoolOptions): boolean {
  return (
    args.integer(['--osd-pg-bits'], (bits) => (options.pgBits = bits)) ||
    args.integer(['--osd-pgp-bits'], (bits) => (options.pgpBits = bits)) ||
    checked(
      args,
      args.integer(['--createsimple'], (count) => (options.osdCount = count)),
      () => (options.createSimple = true),
    ) ||
    args.flag(['--with-default-pool'], () => (options.withDefaultPool = true)) ||
    args.flag(['--create-from-conf'], () => (options.createFromConf = true)) ||
    args.flag(['--clobber'], () => (options.clobber = true)) ||
    checked(
      args,
      args.integer(['--pg-bits'], (bits) => (options.pgBits = bits)),
    ) ||
    checked(
      args,
      args.integer(['--pgp-bits'], (bits) => (options.pgpBits = bits)),
    )
  );
}

function parseEdits(args: CephArguments, options: OsdmaptoolOptions): boolean {
  return (
    args.text(['--upmap-cleanup'], (file) => {
      options.upmapCleanup = true;
      options.upmapFile = file;
    }) ||
    args.flag(['--mark-up-in'], () => (options.markUpIn = true)) ||
    args.text(['--mark-out'], (text) => (options.markOut = osdNumber('--mark-out', text, stoi(text)))) ||
    args.text(['--mark-up'], (text) => (options.markUp = osdNumber('--mark-up', text, stod(text)))) ||
    args.text(['--mark-in'], (text) => (options.markIn = osdNumber('--mark-in', text, stod(text)))) ||
    args.flag(['--clear-temp'], () => (options.clearTemp = true)) ||
    args.flag(['--clean-temps'], () => (options.cleanTemps = true)) ||
    args.text(['--import-crush'], (file) => (options.importCrush = file)) ||
    args.lenientText(['--adjust-crush-weight'], (text) => (options.adjustCrushWeight = text)) ||
    args.flag(['--save'], () => (options.save = true)) ||
    (options.release >= RELEASE.reef && args.flag(['--vstart'], () => (options.vstart = true)))
  );
}

function parseTests(args: CephArguments, options: OsdmaptoolOptions): boolean {
  return (
    args.flag(['--test-map-pgs'], () => (options.testMapPgs = true)) ||
    args.flag(['--test-map-pgs-dump'], () => (options.testMapPgsDump = true)) ||
    args.flag(['--test-map-pgs-dump-all'], () => (options.testMapPgsDumpAll = true)) ||
    args.flag(['--test-random'], () => (options.testRandom = true)) ||
    args.text(['--test-map-pg'], (text) => (options.testMapPg = text)) ||
    args.text(['--test-map-object'], (text) => (options.testMapObject = text)) ||
    args.lenientText(['--pg_num'], (text) => (options.pgNum = pgNumber(text))) ||
    args.integer(['--range-first'], (value) => (options.rangeFirst = value)) ||
    args.integer(['--range-last'], (value) => (options.rangeLast = value)) ||
    checked(
      args,
      args.integer(['--pool'], (value) => (options.pool = value)),
    )
  );
}

function checked(args: CephArguments, taken: boolean, then: () => void = () => undefined): boolean {
  if (taken) {
    args.failOnComplaint();
    then();
  }
  return taken;
}

function unsupported(args: CephArguments, release: number): boolean {
  const name = args.currentName;
  const refuse = (): never => {
    throw new CommandExit(1, `osdmaptool: ${name} is not supported by this version of crush-wasm\n`);
  };
  const isReef = release >= RELEASE.reef;
  return (
    args.flag(UNSUPPORTED_FLAGS, refuse) ||
    args.lenientText(UNSUPPORTED_VALUES, refuse) ||
    (isReef && args.flag(UNSUPPORTED_REEF_FLAGS, refuse)) ||
    (isReef && args.lenientText(UNSUPPORTED_REEF_VALUES, refuse))
  );
}

/** An OSD's number; the original, which reads some of them as a double, aborts on what is none. */
function osdNumber(option: string, text: string, value: number | NumberFailure): number {
  if (typeof value === 'number') return intOfDouble(value);
  throw new CommandExit(1, `osdmaptool: ${option} needs the number of an OSD, not '${text}'\n`);
}

function pgNumber(text: string): bigint {
  const { value, complaint } = parseLongInteger(text);
  if (complaint !== '') throw new CommandExit(1, `error parsing integer value ${complaint}\n`);
  return value;
}
