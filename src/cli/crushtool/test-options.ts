/** Options of `crushtool --test` and `--compare`. */
import { atof, intOfDouble } from '../c-numbers.ts';
import type { CephArguments } from '../ceph-arguments.ts';
import { CommandExit } from '../io.ts';

/** What to map, and what to show of it. */
export interface TestOptions {
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
  /** Into how many batches the inputs are cut; below 1 none is mapped. */
  batches: number;
  /** Whether devices are drawn at random instead of mapped to. */
  simulate: boolean;
  /** Share of the devices of a bucket that are out, 0 for none. */
  markDownRatio: number;
  /** Share of the buckets where they are. */
  markDownBucketRatio: number;
  /** Whether to write CSV files. */
  outputCsv: boolean;
  /** Beginning of their names, with a hyphen. */
  outputName: string;
}

/** Options that test nothing. */
export function noTest(): TestOptions {
  return {
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
    batches: 1,
    simulate: false,
    markDownRatio: 0,
    markDownBucketRatio: 1,
    outputCsv: false,
    outputName: '',
  };
}

/** Takes an option of these, if it is one; `isNewer` is for releases after Pacific. */
export function parseTest(args: CephArguments, options: TestOptions, isNewer: boolean): boolean {
  return (
    args.flag(['--show-utilization'], () => (options.showUtilization = true)) ||
    args.flag(['--show-utilization-all'], () => (options.showUtilizationAll = true)) ||
    args.flag(['--show-statistics'], () => (options.showStatistics = true)) ||
    args.flag(['--show-mappings'], () => (options.showMappings = true)) ||
    args.flag(['--show-bad-mappings'], () => (options.showBadMappings = true)) ||
    args.flag(['--show-choose-tries'], () => (options.showChooseTries = true)) ||
    args.flag(['-t', '--test'], () => (options.test = true)) ||
    args.flag(['-s', '--simulate'], () => (options.simulate = true)) ||
    args.flag(['--output-csv'], () => (options.outputCsv = true)) ||
    parseOutputName(args, options) ||
    parseNumber(args, options, isNewer) ||
    parseWeight(args, options)
  );
}

function parseOutputName(args: CephArguments, options: TestOptions): boolean {
  if (!args.text(['--output-name'], (text) => (options.outputName = `${text}-`))) return false;
  // Ceph wants something to follow, although it leaves it alone.
  if (!args.more) throw new CommandExit(1, 'expecting additional argument to --output-name\n');
  return true;
}

function parseNumber(args: CephArguments, options: TestOptions, isNewer: boolean): boolean {
  const taken =
    args.integer(['--num-rep'], (value) => (options.minRep = options.maxRep = value)) ||
    (isNewer && args.integer(['--min-rep'], (value) => (options.minRep = value))) ||
    (isNewer && args.integer(['--max-rep'], (value) => (options.maxRep = value))) ||
    args.integer(['--max-x'], (value) => (options.maxX = value)) ||
    args.integer(['--min-x'], (value) => (options.minX = value)) ||
    args.longInteger(['--pool-id'], (value) => (options.poolId = value)) ||
    args.integer(['--x'], (value) => (options.minX = options.maxX = value)) ||
    args.integer(['--max-rule'], (value) => (options.maxRule = value)) ||
    args.integer(['--min-rule'], (value) => (options.minRule = value)) ||
    args.integer(['--rule'], (value) => (options.minRule = options.maxRule = value)) ||
    (!isNewer && args.integer(['--ruleset'], (value) => (options.ruleset = value))) ||
    args.integer(['--batches'], (value) => (options.batches = value)) ||
    args.float(['--mark-down-ratio'], (value) => (options.markDownRatio = value)) ||
    args.float(['--mark-down-bucket-ratio'], (value) => (options.markDownBucketRatio = value));
  if (taken) args.failOnComplaint();
  return taken;
}

function parseWeight(args: CephArguments, options: TestOptions): boolean {
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
