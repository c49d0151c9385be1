/** The command line of the osdmaptool drop-in. */
import { intOfDouble, stod, stoi, type NumberFailure } from '../c-numbers.ts';
import { CephArguments, parseLongInteger } from '../ceph-arguments.ts';
import { takeGlobalOptions } from '../ceph-global-options.ts';
import { CommandExit } from '../io.ts';
import { takeRelease } from '../release-option.ts';
import { takeThreads } from '../thread-option.ts';

/** What the command line asks for. */
export interface OsdmaptoolOptions {
  /** Ceph release to print as. */
  release: number;
  /** Threads to map with; undefined is for as many as pay. */
  threads: number | undefined;
  file: string;
  print: boolean;
  pool: number;
  pgNum: bigint;
  markUpIn: boolean;
  markOut: number;
  markUp: number;
  markIn: number;
  clearTemp: boolean;
  testMapPg: string;
  testMapObject: string;
  testMapPgs: boolean;
  testMapPgsDump: boolean;
  testMapPgsDumpAll: boolean;
}

/** Options of the original that this version does not have: those alone, and those with a value. */
const UNSUPPORTED_FLAGS = [
  '--create-from-conf',
  '--clobber',
  '--health',
  '--with-default-pool',
  '--clean-temps',
  '--test-random',
  '--test-crush',
  '--save',
  '--upmap-active',
  '--osd-size-aware',
  '--vstart',
  // These ask for configuration, of which there is none.
  '--show-args',
  '--show-conf',
  '--show-config',
];
const UNSUPPORTED_VALUES = [
  '--dump',
  '--tree',
  '--createsimple',
  '--osd-pg-bits',
  '--osd-pgp-bits',
  '--pg-bits',
  '--pgp-bits',
  '--export-crush',
  '--import-crush',
  '--adjust-crush-weight',
  '--upmap',
  '--upmap-cleanup',
  '--upmap-max',
  '--upmap-deviation',
  '--upmap-seed',
  '--upmap-pool',
  '--read',
  '--read-pool',
  '--range-first',
  '--range-last',
  '--show-config-value',
];

/** Text for `--help`, and after every misuse. */
export const OSDMAPTOOL_USAGE = `usage: osdmaptool MAPFILE [options]
  -p, --print                 print the map: summary, pools, OSDs, temporary mappings, blocklist
  --test-map-pgs              map all PGs and count them by OSD
  --test-map-pgs-dump         the same, with every PG's acting set
  --test-map-pgs-dump-all     the same, with every PG's raw, up and acting set
  --test-map-pg PGID          map one PG
  --test-map-object NAME      map one object (of pool 1, or --pool)
  --pool ID                   only this pool
  --pg_num N                  pretend that the pools have N PGs
  --mark-up-in                pretend that every OSD is up and in
  --mark-up OSD               pretend that an OSD is up
  --mark-in OSD               pretend that an OSD is in
  --mark-out OSD              pretend that an OSD is out
  --clear-temp                forget pg_temp and primary_temp
  --threads N                 map with N threads (default: the machine's, 1 for what is short)
  --as-release N              print as Ceph release N does (16 is Pacific; default: the newest)
  -v, --version               say which version of crush-wasm this is
  --conf, --debug-osd ...     Ceph's own configuration options: taken, without effect
`;

/** Reads the command line as the original does; `warn` gets what it says of Ceph's own options before it goes on. */
export function parseOsdmaptoolOptions(
  argv: readonly string[],
  warn: (text: string) => void,
): OsdmaptoolOptions {
  const { release, rest: others } = takeRelease(argv);
  const { threads, rest } = takeThreads(others);
  if (rest.length === 0) throw new CommandExit(1, 'osdmaptool: -h or --help for usage\n');
  const options: OsdmaptoolOptions = {
    release,
    threads,
    file: '',
    print: false,
    pool: -1,
    pgNum: -1n,
    markUpIn: false,
    markOut: -1,
    markUp: -1,
    markIn: -1,
    clearTemp: false,
    testMapPg: '',
    testMapObject: '',
    testMapPgs: false,
    testMapPgsDump: false,
    testMapPgsDumpAll: false,
  };
  const args = new CephArguments(takeGlobalOptions(rest, warn));
  while (args.more && !args.doubleDash()) {
    if (!parseOne(args, options)) args.skip();
  }
  if (args.rest.length === 0) throw usageError('osdmaptool: must specify osdmap filename\n');
  if (args.rest.length > 1) throw usageError('osdmaptool: too many arguments\n');
  options.file = args.rest[0] ?? '';
  return options;
}

/** A misuse: the complaint on standard error, the usage on standard output. */
export function usageError(complaint: string): CommandExit {
  return new CommandExit(1, complaint, OSDMAPTOOL_USAGE);
}

function parseOne(args: CephArguments, options: OsdmaptoolOptions): boolean {
  return (
    args.flag(['-p', '--print'], () => (options.print = true)) ||
    args.flag(['--mark-up-in'], () => (options.markUpIn = true)) ||
    args.text(['--mark-out'], (text) => (options.markOut = osdNumber('--mark-out', text, stoi(text)))) ||
    args.text(['--mark-up'], (text) => (options.markUp = osdNumber('--mark-up', text, stod(text)))) ||
    args.text(['--mark-in'], (text) => (options.markIn = osdNumber('--mark-in', text, stod(text)))) ||
    args.flag(['--clear-temp'], () => (options.clearTemp = true)) ||
    args.flag(['--test-map-pgs'], () => (options.testMapPgs = true)) ||
    args.flag(['--test-map-pgs-dump'], () => (options.testMapPgsDump = true)) ||
    args.flag(['--test-map-pgs-dump-all'], () => (options.testMapPgsDumpAll = true)) ||
    args.text(['--test-map-pg'], (text) => (options.testMapPg = text)) ||
    args.text(['--test-map-object'], (text) => (options.testMapObject = text)) ||
    args.lenientText(['--pg_num'], (text) => (options.pgNum = pgNumber(text))) ||
    checked(
      args,
      args.integer(['--pool'], (value) => (options.pool = value)),
    ) ||
    unsupported(args)
  );
}

function checked(args: CephArguments, taken: boolean): boolean {
  if (taken) args.failOnComplaint();
  return taken;
}

function unsupported(args: CephArguments): boolean {
  const refuse = (): never => {
    throw new CommandExit(1, `osdmaptool: ${name} is not supported by this version of crush-wasm\n`);
  };
  const name = args.currentName;
  return args.flag(UNSUPPORTED_FLAGS, refuse) || args.lenientText(UNSUPPORTED_VALUES, refuse);
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
