/** The commands of Ceph that make changes to a cluster. */
import { itemClassName, itemName, itemWeight, findItem, findRule, ruleName } from '../../crush/names.ts';
import { RULE_OP, RULE_TYPE, type CrushMap, type CrushRule } from '../../crush/model.ts';
import { OSD_STATE, type OsdMap } from '../../osdmap/model.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import { findPool } from '../../osdmap/pool-request.ts';
import { applyChange } from './apply.ts';
import type { ChangeLocation, MapChange } from './changes.ts';
import { commentLine, shellWord, weightText } from './shell-words.ts';
import { numberText } from './words.ts';
import { osdsBelow, targetOsds } from './targets.ts';

/** Options of {@link changeCommands}. */
export interface CommandOptions {
  /** Name of the file that the CRUSH map after all changes is in. Default: `crushmap`. */
  readonly crushFile?: string;
}

/** A change, and the maps that it was made to and that it has made. */
export interface ChangeStep {
  readonly change: MapChange;
  readonly before: OsdMap;
  readonly after: OsdMap;
}

/** Commands for changes. */
export interface ChangeCommands {
  /** A shell's lines: commands, and comments that start with `#`. */
  readonly lines: readonly string[];
  /** Whether a command takes the CRUSH map after all changes from a file. */
  readonly needsCrushFile: boolean;
}

/**
 * The commands that make changes to the cluster that a map is of, in order, with comments on what they do not do.
 *
 * Where Ceph has no command for a change of the CRUSH map, the map is set from a file (`ceph osd setcrushmap`), and all
 * changes of the CRUSH map are made by that.
 *
 * @param map - the map before the changes
 * @throws CrushError as `applyChanges` does
 * @example
 * ```ts
 * changeCommands(map, [{ kind: 'out', targets: ['osd.3'] }]).lines; // ['ceph osd out 3']
 * ```
 */
export function changeCommands(
  map: OsdMap,
  changes: readonly MapChange[],
  options: CommandOptions = {},
): ChangeCommands {
  const steps: ChangeStep[] = [];
  let before = map;
  for (const change of changes) {
    const after = applyChange(before, change);
    steps.push({ change, before, after });
    before = after;
  }
  return stepCommands(steps, options);
}

/** As {@link changeCommands}, of changes that are made already. */
export function stepCommands(steps: readonly ChangeStep[], options: CommandOptions = {}): ChangeCommands {
  const needsCrushFile = steps.some(
    (step) =>
      step.change.kind === 'crushmap' ||
      (step.change.kind === 'failure-domain' && simpleRule(step.after.crush, step.change.rule) === undefined),
  );
  const writer = new CommandWriter(needsCrushFile, options.crushFile ?? 'crushmap');
  for (const { change, before: from, after } of steps) writer.write(change, from, after);
  return { lines: writer.lines, needsCrushFile };
}

/** Writes commands, one change after the other. */
class CommandWriter {
  readonly lines: string[] = [];
  readonly #crushFile: string;
  /** Whether changes of the CRUSH map come with the file; set from the start, written at the first of them. */
  readonly #usesFile: boolean;
  #isFileSet = false;
  /** Rules that stand for others, whose failure domain was changed. */
  readonly #newRules = new Map<string, string>();

  constructor(usesFile: boolean, crushFile: string) {
    this.#usesFile = usesFile;
    this.#crushFile = crushFile;
  }

  write(change: MapChange, before: OsdMap, after: OsdMap): void {
    switch (change.kind) {
      case 'out':
      case 'in':
        this.#add('osd', change.kind, ...targetOsds(before, change.targets).map(String));
        return;
      case 'down':
        this.#note('stops the daemons too, or they would come up again at once');
        this.#add('osd stop', ...targetOsds(before, change.targets).map(String));
        return;
      case 'up': {
        const osds = targetOsds(before, change.targets).map((osd) => `osd.${osd}`);
        this.#note(`start the daemons of ${osds.join(', ')}: they come up by themselves`);
        return;
      }
      case 'reweight':
      case 'primary-affinity':
        for (const osd of targetOsds(before, change.targets)) {
          const name = change.kind === 'reweight' ? String(osd) : `osd.${osd}`;
          this.#add('osd', change.kind, name, numberText(change.weight));
        }
        return;
      case 'pool':
        this.#pool(change, before);
        return;
      case 'remove':
        this.#remove(change.targets, before);
        return;
      case 'upmap':
        this.#add('osd pg-upmap', pgOf(change.pg), ...change.osds.map(String));
        return;
      case 'upmap-items':
        this.#add('osd pg-upmap-items', pgOf(change.pg), ...change.pairs.flat().map(String));
        return;
      case 'rm-upmap':
      case 'rm-upmap-items':
        this.#add('osd', `rm-pg-${change.kind.slice(3)}`, pgOf(change.pg));
        return;
      case 'add-osds':
        this.#note(`create ${change.osds.map((osd) => `osd.${osd}`).join(', ')} first, as you deploy OSDs`);
        if (!this.#byFile()) this.#addOsds(change);
        return;
      default:
        if (!this.#byFile()) this.#crush(change, before, after);
    }
  }

  /** Changes of the CRUSH map alone. */
  #crush(change: CrushChange, before: OsdMap, after: OsdMap): void {
    switch (change.kind) {
      case 'crush-weight': {
        const osds = osdsBelow(after.crush, itemOf(after.crush, change.name));
        const parts = osds.map((osd) => ({ osd, weight: itemWeight(after.crush, osd) ?? 0 }));
        if (parts.length > 1) this.#note(`${change.name} comes to weigh ${numberText(change.weight)} in all`);
        for (const { osd, weight } of parts) {
          this.#add('osd crush reweight', osdName(after.crush, osd), weightText(weight));
        }
        return;
      }
      case 'reweight-subtree':
        this.#add('osd crush reweight-subtree', osdWord(change.name), numberText(change.weight));
        return;
      case 'add-bucket':
        this.#add('osd crush add-bucket', change.name, change.type, ...locationWords(change.location ?? {}));
        return;
      case 'move':
        for (const name of change.names) {
          this.#add('osd crush move', osdWord(name), ...locationWords(change.location));
        }
        return;
      case 'device-class': {
        const osds = targetOsds(before, change.targets);
        // Ceph gives no class to an OSD that has one.
        const classed = osds.filter((osd) => itemClassName(before.crush, osd) !== undefined);
        const names = (list: readonly number[]): string[] => list.map((osd) => osdName(before.crush, osd));
        if (classed.length > 0) this.#add('osd crush rm-device-class', ...names(classed));
        if (change.deviceClass !== undefined && osds.length > 0) {
          this.#add('osd crush set-device-class', change.deviceClass, ...names(osds));
        }
        return;
      }
      case 'tunables':
        this.#add('osd crush tunables', change.profile);
        return;
      case 'failure-domain':
        this.#failureDomain(change.rule, change.type, before, after);
        return;
      case 'crushmap':
        return;
    }
  }

  #pool(change: Extract<MapChange, { kind: 'pool' }>, before: OsdMap): void {
    const isName = [...before.pools.values()].some(({ name }) => name === change.pool);
    const pool = findPool(before, !isName && /^\d+$/.test(change.pool) ? Number(change.pool) : change.pool);
    const { field, value } = change;
    const isSplit = field === 'pg_num' || field === 'pgp_num';
    if (isSplit && pool.details.pgAutoscaleMode === AUTOSCALE_ON) {
      this.#add('osd pool set', pool.name, 'pg_autoscale_mode', 'off');
    }
    if (field === 'rule') {
      const id = findRule(before.crush, value).id;
      const rule = ruleName(before.crush, id) ?? String(id);
      this.#add('osd pool set', pool.name, 'crush_rule', this.#newRules.get(rule) ?? rule);
      return;
    }
    const isSure = field === 'size' && Number(value) === 1 ? ['--yes-i-really-mean-it'] : [];
    this.#add('osd pool set', pool.name, field, value, ...isSure);
    if (isSplit) this.#note('PGs are split or merged step by step, so that it takes a while to come to that');
  }

  #remove(targets: readonly string[], before: OsdMap): void {
    const osds = targetOsds(before, targets);
    const up = osds.filter((osd) => ((before.osdState[osd] ?? 0) & OSD_STATE.up) !== 0);
    if (up.length > 0) {
      this.#note(
        'first mark them out and wait until all PGs are active+clean; none is purged before it is down',
      );
      this.#add('osd stop', ...up.map(String));
    }
    for (const osd of osds) this.#add('osd purge', String(osd), '--yes-i-really-mean-it');
    if (this.#byFile()) return;
    for (const target of targets) {
      const id = findItem(before.crush, target);
      if (id === undefined || id >= 0) continue;
      for (const bucket of bucketsUpward(before.crush, id)) {
        this.#add('osd crush rm', itemName(before.crush, bucket) ?? String(bucket));
      }
    }
  }

  #addOsds({ osds, weight, deviceClass, location }: Extract<MapChange, { kind: 'add-osds' }>): void {
    for (const osd of osds) {
      this.#add('osd crush add', `osd.${osd}`, numberText(weight), ...locationWords(location));
    }
    if (deviceClass !== undefined && osds.length > 0) {
      this.#add('osd crush set-device-class', deviceClass, ...osds.map((osd) => `osd.${osd}`));
    }
  }

  /** A new rule, and the pools that follow it: Ceph changes no rule. */
  #failureDomain(name: string, type: string, before: OsdMap, after: OsdMap): void {
    const rule = simpleRule(after.crush, name);
    if (rule === undefined) return;
    const old = ruleName(before.crush, rule.id) ?? name;
    const made = freeName(`${old}_${type}`, after.crush, [...this.#newRules.values()]);
    const [root = '', deviceClass] = rule.take.split('~');
    const words = [made, root, type, ...(deviceClass === undefined ? [] : [deviceClass])];
    this.#add('osd crush rule create-replicated', ...words);
    for (const pool of before.pools.values()) {
      if (pool.crushRule === rule.id) this.#add('osd pool set', pool.name, 'crush_rule', made);
    }
    this.#note(
      `when no pool needs it any more: ceph osd crush rule rm ${shellWord(this.#newRules.get(old) ?? old)}`,
    );
    this.#newRules.set(old, made);
  }

  /** Whether changes of the CRUSH map come with the file, which is set at the first of them. */
  #byFile(): boolean {
    if (this.#usesFile && !this.#isFileSet) {
      this.#note(`Ceph has no command for a change of the CRUSH map: all of them are in ${this.#crushFile}`);
      this.lines.push(`ceph osd setcrushmap -i ${shellWord(this.#crushFile)}`);
      this.#isFileSet = true;
    }
    return this.#usesFile;
  }

  #add(command: string, ...words: readonly string[]): void {
    this.lines.push(['ceph', command, ...words.map(shellWord)].join(' '));
  }

  #note(text: string): void {
    this.lines.push(commentLine(text));
  }
}

type CrushChange = Extract<
  MapChange,
  {
    readonly kind:
      | 'crush-weight'
      | 'reweight-subtree'
      | 'add-bucket'
      | 'move'
      | 'device-class'
      | 'failure-domain'
      | 'tunables'
      | 'crushmap';
  }
>;

/** `pg_autoscale_mode` on. */
const AUTOSCALE_ON = 2;

/** A replicated rule that `ceph osd crush rule create-replicated` would make, with what it takes; else undefined. */
function simpleRule(crush: CrushMap, nameOrId: string): (CrushRule & { readonly take: string }) | undefined {
  const rule = findRule(crush, nameOrId);
  const [take, choose, emit] = rule.steps;
  const isSimple =
    rule.type === RULE_TYPE.replicated &&
    rule.steps.length === 3 &&
    take?.op === RULE_OP.take &&
    (choose?.op === RULE_OP.chooseFirstn || choose?.op === RULE_OP.chooseleafFirstn) &&
    choose.arg1 === 0 &&
    (choose.op === RULE_OP.chooseFirstn) === (choose.arg2 === 0) &&
    emit?.op === RULE_OP.emit;
  const name = isSimple ? itemName(crush, take.arg1) : undefined;
  return name === undefined ? undefined : { ...rule, take: name };
}

function freeName(wish: string, crush: CrushMap, others: readonly string[]): string {
  const taken = new Set([...crush.ruleNames.values(), ...others]);
  let name = wish;
  for (let i = 2; taken.has(name); i++) name = `${wish}_${i}`;
  return name;
}

/** A bucket and those below it, each after what it holds. */
function bucketsUpward(crush: CrushMap, top: number): number[] {
  const found: number[] = [];
  const seen = new Set<number>();
  const visit = (id: number): void => {
    if (id >= 0 || seen.has(id)) return;
    seen.add(id);
    for (const item of crush.buckets[-1 - id]?.items ?? []) visit(item);
    found.push(id);
  };
  visit(top);
  return found;
}

function itemOf(crush: CrushMap, name: string): number {
  return findItem(crush, osdWord(name)) ?? -1;
}

/** `3` stands for `osd.3`. */
function osdWord(name: string): string {
  return /^\d+$/.test(name) ? `osd.${name}` : name;
}

function osdName(crush: CrushMap, osd: number): string {
  return itemName(crush, osd) ?? `osd.${osd}`;
}

function locationWords(location: ChangeLocation): string[] {
  return Object.entries(location).map(([type, name]) => `${type}=${name}`);
}

function pgOf({ pool, ps }: { readonly pool: number; readonly ps: number }): string {
  return formatPgId(pool, ps);
}
