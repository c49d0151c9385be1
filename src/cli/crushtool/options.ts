/** The command line of the crushtool drop-in. */
import type { CrushTunables } from '../../crush/model.ts';
import { atof, intOfDouble } from '../c-numbers.ts';
import { CephArguments } from '../ceph-arguments.ts';
import { CommandExit } from '../io.ts';
import { PACIFIC, takeRelease } from '../release-option.ts';
import { takeThreads } from '../thread-option.ts';

/** What the command line asks for. */
export interface CrushtoolOptions {
  /** Ceph release to print as. */
  release: number;
  /** Threads to map with; undefined is for as many as pay. */
  threads: number | undefined;
  file: string;
  test: boolean;
  showMappings: boolean;
  showBadMappings: boolean;
  showStatistics: boolean;
  showUtilization: boolean;
  showUtilizationAll: boolean;
  showChooseTries: boolean;
  minRule: number;
  maxRule: number;
  /** Former rule mask to select by, in releases that had it. */
  ruleset: number;
  minX: number;
  maxX: number;
  minRep: number;
  maxRep: number;
  poolId: bigint;
  /** 16.16 weight of devices given with --weight. */
  weights: Map<number, number>;
  /** Tunables to set before the test. */
  tunables: { -readonly [name in keyof CrushTunables]?: number };
  /** Whether a tunable was named, with or without a value. */
  adjust: boolean;
  /** Into how many batches the inputs are cut; below 1 none is mapped. */
  batches: number;
}

/** Options of the original that this version does not have: those alone, and those with a value. */
const UNSUPPORTED_FLAGS = [
  '--reclassify',
  '--tree',
  '--bucket-tree',
  '--dump',
  '-s',
  '--simulate',
  '--reweight',
  '--rebuild-class-roots',
  '--output-csv',
  '--help-output',
  '--build',
  '--add-bucket',
  '--move',
];
const UNSUPPORTED_VALUES = [
  '-d',
  '--decompile',
  '-o',
  '--outfn',
  '-c',
  '--compile',
  '--compare',
  '--reclassify-bucket',
  '--reclassify-root',
  '--set-subtree-class',
  '-b',
  '--bucket-name',
  '-f',
  '--format',
  '--check',
  '--show-location',
  '--add-item',
  '--update-item',
  '--create-simple-rule',
  '--create-replicated-rule',
  '--device-class',
  '--remove-rule',
  '--loc',
  '--output-name',
  '--remove-item',
  '--reweight-item',
  '--num-osds',
  '--mark-down-ratio',
  '--mark-down-bucket-ratio',
];

/** Tunables that Ceph keeps in 8 bits: of a greater number the lowest are left. */
const BYTE_TUNABLES: ReadonlySet<string> = new Set([
  'chooseleafVaryR',
  'chooseleafStable',
  'strawCalcVersion',
] satisfies (keyof CrushTunables)[]);

const TUNABLES = {
  '--set-choose-local-tries': 'chooseLocalTries',
  '--set-choose-local-fallback-tries': 'chooseLocalFallbackTries',
  '--set-choose-total-tries': 'chooseTotalTries',
  '--set-chooseleaf-descend-once': 'chooseleafDescendOnce',
  '--set-chooseleaf-vary-r': 'chooseleafVaryR',
  '--set-chooseleaf-stable': 'chooseleafStable',
  '--set-straw-calc-version': 'strawCalcVersion',
  '--set-allowed-bucket-algs': 'allowedBucketAlgs',
} as const satisfies Record<string, keyof CrushTunables>;

/** Text for `--help`. */
export const CRUSHTOOL_USAGE = `usage: crushtool -i MAPFILE --test [options]
  -i, --infn MAPFILE          the map, '-' for standard input
  -t, --test                  map a range of inputs
  --show-mappings             print every mapping
  --show-bad-mappings         print mappings with too few items or with holes
  --show-statistics           print how many mappings have which length
  --show-utilization          print how often each device is used, and how often it should be
  --show-utilization-all      the same, with devices of weight 0
  --show-choose-tries         print how many choices took how many retries
  --num-rep N                 items to map to, or --min-rep N --max-rep N
  --rule R                    rule to test, or --min-rule R --max-rule R (default: all)
  --x X                       input to map, or --min-x X --max-x X (default: 0..1023)
  --pool-id P                 hash inputs with a pool id, as pools do
  --weight DEVICE WEIGHT      reweight of a device, 0 to 1
  --batches N                 map the inputs in so many batches: the same for every N, nothing for N below 1
  --set-choose-total-tries N  and --set-choose-local-tries, --set-choose-local-fallback-tries,
                              --set-chooseleaf-descend-once, --set-chooseleaf-vary-r, --set-chooseleaf-stable,
                              --set-straw-calc-version, --set-allowed-bucket-algs: test with other tunables
  --enable-unsafe-tunables    taken, without effect; so is -v, --verbose
  --threads N                 map with N threads (default: the machine's, 1 for what is short)
  --as-release N              print as Ceph release N does (16 is Pacific; default: the newest); up to 16 there
                              is --ruleset S, and no --min-rep and --max-rep
`;

/** Reads the command line as the original does; `warn` gets what it says before it is sure. */
export function parseCrushtoolOptions(
  argv: readonly string[],
  warn: (text: string) => void,
): CrushtoolOptions {
  const { release, rest: others } = takeRelease(argv);
  const { threads, rest } = takeThreads(others);
  if (rest.length === 0) throw new CommandExit(1, 'crushtool: -h or --help for usage\n');
  const options: CrushtoolOptions = {
    release,
    threads,
    file: '',
    test: false,
    showMappings: false,
    showBadMappings: false,
    showStatistics: false,
    showUtilization: false,
    showUtilizationAll: false,
    showChooseTries: false,
    minRule: -1,
    maxRule: -1,
    ruleset: -1,
    minX: -1,
    maxX: -1,
    minRep: -1,
    maxRep: -1,
    poolId: -1n,
    weights: new Map(),
    tunables: {},
    adjust: false,
    batches: 1,
  };
  const args = new CephArguments(rest);
  while (args.more && !args.doubleDash()) {
    if (!parseOne(args, options)) args.skip();
  }
  const shows =
    options.showMappings ||
    options.showBadMappings ||
    options.showStatistics ||
    options.showUtilization ||
    options.showUtilizationAll ||
    options.showChooseTries;
  if (options.test && !shows) warn('WARNING: no output selected; use --output-csv or --show-X\n');
  if (!options.test && !options.adjust) throw new CommandExit(1, 'no action specified; -h for help\n');
  if (args.rest.length > 0) {
    throw new CommandExit(1, `unrecognized arguments: [${args.rest.join(',')}]\n`);
  }
  return options;
}

function parseOne(args: CephArguments, options: CrushtoolOptions): boolean {
  return (
    args.text(['-i', '--infn'], (text) => (options.file = text)) ||
    args.flag(['-v', '--verbose'], () => undefined) ||
    args.flag(['--show-utilization'], () => (options.showUtilization = true)) ||
    args.flag(['--show-utilization-all'], () => (options.showUtilizationAll = true)) ||
    args.flag(['--show-statistics'], () => (options.showStatistics = true)) ||
    args.flag(['--show-mappings'], () => (options.showMappings = true)) ||
    args.flag(['--show-bad-mappings'], () => (options.showBadMappings = true)) ||
    args.flag(['--show-choose-tries'], () => (options.showChooseTries = true)) ||
    args.flag(['-t', '--test'], () => (options.test = true)) ||
    args.flag(['--enable-unsafe-tunables'], () => undefined) ||
    parseTunable(args, options) ||
    parseRange(args, options) ||
    parseWeight(args, options) ||
    refuseUnsupported(args)
  );
}

function parseTunable(args: CephArguments, options: CrushtoolOptions): boolean {
  for (const [name, field] of Object.entries(TUNABLES)) {
    const keep = BYTE_TUNABLES.has(field) ? (value: number) => value & 0xff : (value: number) => value;
    // A negative number leaves the map's own.
    const apply = (value: number): void => {
      options.tunables[field] = value < 0 ? value : keep(value);
    };
    if (args.integer([name], apply)) {
      options.adjust = true;
      return true;
    }
  }
  return false;
}

function parseRange(args: CephArguments, options: CrushtoolOptions): boolean {
  const taken =
    args.integer(['--num-rep'], (value) => (options.minRep = options.maxRep = value)) ||
    (options.release > PACIFIC && args.integer(['--min-rep'], (value) => (options.minRep = value))) ||
    (options.release > PACIFIC && args.integer(['--max-rep'], (value) => (options.maxRep = value))) ||
    args.integer(['--max-x'], (value) => (options.maxX = value)) ||
    args.integer(['--min-x'], (value) => (options.minX = value)) ||
    args.longInteger(['--pool-id'], (value) => (options.poolId = value)) ||
    args.integer(['--x'], (value) => (options.minX = options.maxX = value)) ||
    args.integer(['--max-rule'], (value) => (options.maxRule = value)) ||
    args.integer(['--min-rule'], (value) => (options.minRule = value)) ||
    args.integer(['--rule'], (value) => (options.minRule = options.maxRule = value)) ||
    (options.release <= PACIFIC && args.integer(['--ruleset'], (value) => (options.ruleset = value))) ||
    args.integer(['--batches'], (value) => (options.batches = value));
  if (taken) args.failOnComplaint();
  return taken;
}

function parseWeight(args: CephArguments, options: CrushtoolOptions): boolean {
  let device = 0;
  if (!args.integer(['--weight'], (value) => (device = value))) return false;
  args.failOnComplaint();
  const text = args.take();
  if (text === undefined) throw new CommandExit(1, 'expecting additional argument to --weight\n');
  options.weights.set(device, deviceWeight(Math.fround(atof(text))));
  return true;
}

/** A reweight from 0 to 1 as 16.16, cut to that range (`CrushTester::set_device_weight`). */
function deviceWeight(weight: number): number {
  const fixed = intOfDouble(Math.fround(weight * 0x10000));
  return Math.min(Math.max(fixed, 0), 0x10000);
}

function refuseUnsupported(args: CephArguments): boolean {
  const name = args.currentName;
  const refuse = (): never => {
    throw new CommandExit(1, `crushtool: ${name} is not supported by this version of crush-wasm\n`);
  };
  return args.flag(UNSUPPORTED_FLAGS, refuse) || args.lenientText(UNSUPPORTED_VALUES, refuse);
}
