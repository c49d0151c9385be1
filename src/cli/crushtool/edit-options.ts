/** Options of the crushtool drop-in that change the map: tunables, and the stage of modifications. */
import type { CrushTunables } from '../../crush/model.ts';
import { RELEASE } from '../../formats/releases.ts';
import { atof } from '../c-numbers.ts';
import type { CephArguments } from '../ceph-arguments.ts';
import { CommandExit, type TextSink } from '../io.ts';

/** What to change; the original keeps some of it for several options, and so do these fields. */
export interface EditOptions {
  /** Tunables to set; a negative one leaves the map's. */
  tunables: { -readonly [name in keyof CrushTunables]?: number };
  /** Whether a tunable was named, with or without a value. */
  adjust: boolean;
  /** Item to reweight, '' for none. */
  reweightName: string;
  /** A 32-bit float. */
  reweightWeight: number;
  /** Item to remove, '' for none. */
  removeName: string;
  /** Id of a device to add or update; below 0 for none. */
  addItem: number;
  /** Whether that device may be there already. */
  updateItem: boolean;
  /** Its weight, a 32-bit float. */
  addWeight: number;
  /** Whether to add a bucket. */
  addBucket: boolean;
  /** Name of the item, or of the bucket, to add. */
  addName: string;
  /** Type of the bucket to add. */
  addType: string;
  moveItem: boolean;
  moveName: string;
  /** Where to add or move: name by type, sorted by type. */
  locations: ReadonlyMap<string, string>;
  addRule: boolean;
  removeRule: boolean;
  /** Name of the rule to add, or to remove. */
  ruleName: string;
  ruleRoot: string;
  ruleType: string;
  /** `firstn` or `indep`, unchecked. */
  ruleMode: string;
  /** Class that the rule to add is for, '' for all. */
  ruleDeviceClass: string;
  reweight: boolean;
  rebuildClassRoots: boolean;
  /** Class by bucket, sorted. */
  setSubtreeClass: ReadonlyMap<string, string>;
  reclassify: boolean;
  /** Class and parent by the pattern of buckets, sorted. */
  reclassifyBucket: ReadonlyMap<string, { readonly deviceClass: string; readonly parent: string }>;
  /** Class by root, sorted. */
  reclassifyRoot: ReadonlyMap<string, string>;
  /** What was wrong with values, but did not end the command. */
  complaints: string;
}

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

/** Tunables of newer releases, which the original's text has and its command line lacks. */
const MSR_TUNABLES = {
  '--set-msr-descents': 'msrDescents',
  '--set-msr-collision-tries': 'msrCollisionTries',
} as const satisfies Record<string, keyof CrushTunables>;

/** Options that change nothing. */
export function noEdits(): EditOptions {
  return {
    tunables: {},
    adjust: false,
    reweightName: '',
    reweightWeight: 0,
    removeName: '',
    addItem: -1,
    updateItem: false,
    addWeight: 0,
    addBucket: false,
    addName: '',
    addType: '',
    moveItem: false,
    moveName: '',
    locations: new Map(),
    addRule: false,
    removeRule: false,
    ruleName: '',
    ruleRoot: '',
    ruleType: '',
    ruleMode: '',
    ruleDeviceClass: '',
    reweight: false,
    rebuildClassRoots: false,
    setSubtreeClass: new Map(),
    reclassify: false,
    reclassifyBucket: new Map(),
    reclassifyRoot: new Map(),
    complaints: '',
  };
}

/** The tunables that were given a value. */
export function chosenTunables({ tunables }: EditOptions): Partial<CrushTunables> {
  return Object.fromEntries(Object.entries(tunables).filter(([, value]) => value >= 0));
}

/** Whether there is anything for the stage of modifications. */
export function hasEdits(options: EditOptions): boolean {
  return (
    options.reweightName !== '' ||
    options.removeName !== '' ||
    options.addItem >= 0 ||
    options.addBucket ||
    options.moveItem ||
    options.addRule ||
    options.removeRule ||
    options.reweight ||
    options.rebuildClassRoots ||
    options.setSubtreeClass.size > 0 ||
    options.reclassify
  );
}

/** Sorts what the original keeps in sorted maps. */
export function sortEdits(options: EditOptions): void {
  options.locations = sortedByKey(options.locations);
  options.setSubtreeClass = sortedByKey(options.setSubtreeClass);
  options.reclassifyBucket = sortedByKey(options.reclassifyBucket);
  options.reclassifyRoot = sortedByKey(options.reclassifyRoot);
}

/** Takes an option of these, if it is one and `release` has it. */
export function parseEdit(
  args: CephArguments,
  options: EditOptions,
  release: number,
  out: TextSink,
): boolean {
  return (
    parseTunable(args, options, TUNABLES) ||
    (release >= RELEASE.squid && parseTunable(args, options, MSR_TUNABLES)) ||
    args.flag(['--reweight'], () => (options.reweight = true)) ||
    args.flag(['--rebuild-class-roots'], () => (options.rebuildClassRoots = true)) ||
    args.text(['--remove-item'], (text) => (options.removeName = text)) ||
    parseReweightItem(args, options) ||
    parseAddItem(args, options) ||
    parseBucket(args, options) ||
    parseRule(args, options, out) ||
    parseClasses(args, options)
  );
}

function parseTunable(
  args: CephArguments,
  options: EditOptions,
  tunables: Readonly<Record<string, keyof CrushTunables>>,
): boolean {
  for (const [name, field] of Object.entries(tunables)) {
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

function parseReweightItem(args: CephArguments, options: EditOptions): boolean {
  if (!args.text(['--reweight-item'], (text) => (options.reweightName = text))) return false;
  options.reweightWeight = Math.fround(atof(takeFor(args, ' to --reweight-item')));
  return true;
}

function parseAddItem(args: CephArguments, options: EditOptions): boolean {
  for (const option of ['--add-item', '--update-item']) {
    if (!args.integer([option], (value) => (options.addItem = value))) continue;
    if (option === '--update-item') options.updateItem = true;
    args.failOnComplaint();
    options.addWeight = Math.fround(atof(takeFor(args, ` to ${option}`)));
    options.addName = takeFor(args, ` to ${option}`);
    return true;
  }
  return false;
}

function parseBucket(args: CephArguments, options: EditOptions): boolean {
  const addBucket = (): void => {
    options.addName = takeFor(args, ' to --add-bucket');
    options.addType = takeFor(args, ' to --add-bucket');
    args.failOnComplaint();
    options.addBucket = true;
  };
  const move = (): void => {
    options.moveName = takeFor(args, ' to --move');
    args.failOnComplaint();
    options.moveItem = true;
  };
  const locate = (type: string): void => {
    options.locations = new Map([...options.locations, [type, takeFor(args, ' to --loc')]]);
  };
  return (
    args.flag(['--add-bucket'], addBucket) || args.flag(['--move'], move) || args.text(['--loc'], locate)
  );
}

function parseRule(args: CephArguments, options: EditOptions, out: TextSink): boolean {
  for (const option of ['--create-simple-rule', '--create-replicated-rule']) {
    if (!args.lenientText([option], (text) => (options.ruleName = text))) continue;
    args.failOnComplaint();
    options.ruleRoot = takeFor(args, ` to ${option}`);
    options.ruleType = takeFor(args, ` to ${option}`);
    const isSimple = option === '--create-simple-rule';
    options.ruleMode = isSimple ? takeFor(args, ` to ${option}`) : 'firstn';
    options.addRule = true;
    out.add(
      `${option}: name=${options.ruleName} root=${options.ruleRoot} type=${options.ruleType}` +
        `${isSimple ? ` mode=${options.ruleMode}` : ''}\n`,
    );
    return true;
  }
  if (args.text(['--device-class'], (text) => (options.ruleDeviceClass = text))) {
    args.failOnComplaint();
    return true;
  }
  if (!args.text(['--remove-rule'], (text) => (options.ruleName = text))) return false;
  args.failOnComplaint();
  options.removeRule = true;
  return true;
}

function parseClasses(args: CephArguments, options: EditOptions): boolean {
  const reclassifyBucket = (pattern: string): void => {
    const deviceClass = takeFor(args, '');
    const parent = takeFor(args, '');
    options.reclassifyBucket = new Map([...options.reclassifyBucket, [pattern, { deviceClass, parent }]]);
  };
  const reclassifyRoot = (root: string): void => {
    options.reclassifyRoot = new Map([...options.reclassifyRoot, [root, takeFor(args, '')]]);
  };
  const setSubtreeClass = (bucket: string): void => {
    options.setSubtreeClass = new Map([...options.setSubtreeClass, [bucket, takeFor(args, '')]]);
  };
  return (
    args.flag(['--reclassify'], () => (options.reclassify = true)) ||
    args.text(['--reclassify-bucket'], reclassifyBucket) ||
    args.text(['--reclassify-root'], reclassifyRoot) ||
    args.text(['--set-subtree-class'], setSubtreeClass)
  );
}

/** The next argument, which an option needs. */
function takeFor(args: CephArguments, option: string): string {
  const text = args.take();
  if (text === undefined) throw new CommandExit(1, `expecting additional argument${option}\n`);
  return text;
}

function sortedByKey<T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
