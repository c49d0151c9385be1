/**
 * Editing of CRUSH maps in code: each edit is checked, done as Ceph does it (shadow trees, weights above and
 * weight-sets follow), and can be undone.
 */
import { CrushError } from '../errors.ts';
import { CrushDraft } from './draft.ts';
import type { CrushLocation, NewCrushBucket, NewDevice, NewRule } from './edit/arguments.ts';
import { addBucket } from './edit/bucket-table.ts';
import {
  algorithmOf,
  checkCount,
  checkedWeight,
  checkPlace,
  checkTotals,
  checkTunable,
  demandObject,
  freeDevice,
  itemOf,
  locationOf,
  misuse,
  modeOf,
  profileOf,
  typeOf,
} from './edit/checks.ts';
import { updateChooseArgs } from './edit/choose-args.ts';
import {
  badName,
  getOrCreateClass,
  postponeShadowTrees,
  rebuildRootsWithClasses,
  setDeviceClass,
  setSubtreeClass,
  settleShadowTrees,
} from './edit/classes.ts';
import { fixedWeight } from './edit/fixed-weight.ts';
import { createOrMoveItem, insertItem, itemAtLocation, moveBucket, removeItem } from './edit/hierarchy.ts';
import { checkEditable } from './edit/lookup.ts';
import { addSimpleRule, removeRule } from './edit/rules.ts';
import { adjustItemWeight, reweight } from './edit/weights.ts';
import { demandCrushMap } from './kind.ts';
import { RULE_TYPE, type CrushMap, type CrushTunables } from './model.ts';
import { isValidName } from './names.ts';
import type { TunablesProfile } from './tunables.ts';

/** Options of a {@link CrushMapEditor}. */
export interface EditorOptions {
  /** How many edits can be undone (default 100); each keeps a copy of the map's tables. */
  readonly undoLimit?: number;
}

/** Types of a new map, from 0 on, as Ceph has them. */
const TYPE_NAMES = 'osd host chassis rack row pdu pod room datacenter zone region root'.split(' ');

/**
 * Edits a CRUSH map. Maps themselves never change: {@link map} is another one after every edit. An edit that throws
 * changes nothing.
 *
 * @example
 * ```ts
 * const editor = CrushMapEditor.empty();
 * for (const host of ['a', 'b', 'c']) {
 *   editor.addDevice({ weight: 3.6, deviceClass: 'hdd', location: { host, root: 'default' } });
 * }
 * const rule = editor.addRule({ name: 'hdd', root: 'default', deviceClass: 'hdd' });
 * editor.move('a', { rack: 'r1', root: 'default' });
 * editor.undo();
 * new CrushMapper(editor.map).mapRange({ rule, size: 3, first: 0, count: 100 }).items;
 * ```
 */
export class CrushMapEditor {
  #map: CrushMap;
  readonly #undoLimit: number;
  readonly #past: CrushMap[] = [];
  readonly #future: CrushMap[] = [];
  #batch: Batch | undefined;

  private constructor(map: CrushMap, { undoLimit = 100 }: EditorOptions) {
    if (typeof undoLimit !== 'number' || !(undoLimit >= 0)) {
      throw misuse(`undoLimit cannot be ${String(undoLimit)}; give a number from 0 on`);
    }
    this.#map = map;
    this.#undoLimit = undoLimit;
  }

  /** Starts with a map that has Ceph's types and default tunables, and nothing else. */
  static empty(options: EditorOptions = {}): CrushMapEditor {
    const draft = CrushDraft.empty();
    TYPE_NAMES.forEach((name, type) => {
      draft.setTypeName(type, name);
    });
    return new CrushMapEditor(draft.finish(), options);
  }

  /**
   * Starts with a map.
   *
   * @throws CrushError `invalid-map` where buckets are missing or below themselves; `bad-argument` for other values.
   */
  static from(map: CrushMap, options: EditorOptions = {}): CrushMapEditor {
    demandCrushMap(map, 'an editor');
    checkEditable(CrushDraft.from(map));
    return new CrushMapEditor(map, options);
  }

  /** The map as it is now; within a {@link batch}, as it was before. */
  get map(): CrushMap {
    return this.#map;
  }

  /** Whether there is an edit to undo. */
  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  /** Whether there is an edit to do again. */
  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Takes the last edit back; false where there is none. */
  undo(): boolean {
    return this.#step(this.#past, this.#future);
  }

  /** Does the edit again that was undone last; false where there is none, or another was made since. */
  redo(): boolean {
    return this.#step(this.#future, this.#past);
  }

  /**
   * Does several edits as one: one to undo, faster than each for itself, and all or none: where an edit throws, so
   * does the batch, even if the error was caught.
   *
   * @example
   * ```ts
   * editor.batch(() => {
   *   for (const device of devices) editor.addDevice(device);
   * });
   * ```
   */
  batch<T>(edits: () => T): T {
    if (this.#batch !== undefined) throw misuse('a batch is under way; make its edits part of that one');
    if (typeof edits !== 'function') throw misuse('a batch takes a function that makes the edits');
    return this.#edit((draft) => {
      postponeShadowTrees(draft);
      const result = edits();
      if (result instanceof Promise) {
        throw misuse('a batch cannot wait: what it is given must make all edits before it returns');
      }
      settleShadowTrees(draft);
      return result;
    });
  }

  /**
   * Adds a device.
   *
   * @returns Its id.
   * @throws CrushError: the id or name is taken, a weight out of range, a location that the map cannot give.
   */
  addDevice(newDevice: NewDevice): number {
    const { id, name, weight, location, deviceClass } = demandObject(newDevice, 'a device');
    return this.#edit((draft) => {
      const device = id ?? freeDevice(draft);
      if (!Number.isInteger(device) || device < 0) throw misuse(`${device} is no device id; use 0, 1, 2 ...`);
      if (draft.itemNames.has(device) || draft.holdersOf(device).length > 0) {
        throw new CrushError(
          'refused',
          `there is a device ${device} already; move or reweight it`,
          {},
          'EEXIST',
        );
      }
      if (deviceClass !== undefined) {
        if (!isValidName(deviceClass)) throw badName(deviceClass);
        draft.itemClasses.set(device, getOrCreateClass(draft, deviceClass));
      }
      const place = locationOf(draft, location);
      insertItem(draft, device, checkedWeight(weight), name ?? `osd.${device}`, place);
      checkPlace(draft, device, place);
      return device;
    });
  }

  /**
   * Adds an empty bucket.
   *
   * @returns Its id.
   * @throws CrushError: the name is taken, the type or the location is not in the map.
   */
  addBucket(bucket: NewCrushBucket): number {
    const { name, type, location, algorithm } = demandObject(bucket, 'a bucket');
    return this.#edit((draft) => {
      if (draft.itemId(name) !== undefined) {
        throw new CrushError('refused', `the name '${name}' is taken; choose another`, {}, 'EEXIST');
      }
      const alg = algorithm === undefined ? {} : { alg: algorithmOf(algorithm) };
      const id = addBucket(draft, { type: typeOf(draft, type), ...alg });
      if (!draft.setItemName(id, name)) throw badName(name);
      if (location !== undefined) {
        const place = locationOf(draft, location);
        moveBucket(draft, id, place);
        checkPlace(draft, id, place);
      }
      return id;
    });
  }

  /**
   * Moves a device, or a bucket with all below it; it keeps its weight. Buckets of the location that do not exist
   * are made. Nothing happens where it is there already.
   *
   * @param item - Name or id.
   */
  move(item: string | number, location: CrushLocation): void {
    this.#edit((draft) => {
      const { id, name } = itemOf(draft, item);
      const place = locationOf(draft, location);
      if (itemAtLocation(draft, id, place) === undefined) {
        if (id >= 0) createOrMoveItem(draft, id, 0, name, place);
        else moveBucket(draft, id, place);
      }
      checkPlace(draft, id, place);
    });
  }

  /**
   * Removes a device, or a bucket that is empty.
   *
   * @param item - Name or id.
   */
  remove(item: string | number): void {
    this.#edit((draft) => {
      removeItem(draft, itemOf(draft, item).id);
    });
  }

  /**
   * Gives a device or bucket another name; shadow buckets follow.
   *
   * @param item - Name or id.
   */
  rename(item: string | number, name: string): void {
    this.#edit((draft) => {
      const { id } = itemOf(draft, item);
      if (draft.itemId(name) !== undefined) {
        throw new CrushError('refused', `the name '${name}' is taken; choose another`, {}, 'EEXIST');
      }
      if (!draft.setItemName(id, name)) throw badName(name);
      draft.forgetNames();
      rebuildRootsWithClasses(draft);
    });
  }

  /**
   * Gives a device a weight, wherever it stands; a bucket's weight, which is the sum of what it holds, is better
   * left alone.
   *
   * @param item - Name or id.
   * @param weight - In units: 0 to 32767.99.
   */
  setWeight(item: string | number, weight: number): void {
    this.#edit((draft) => {
      const { id, name } = itemOf(draft, item);
      if (adjustItemWeight(draft, id, fixedWeight(checkedWeight(weight))) > 0) return;
      throw new CrushError('not-found', `'${name}' is in no bucket, so it has no weight; move it into one`);
    });
  }

  /** Sums up all weights anew, from the devices to the roots. */
  reweight(): void {
    this.#edit(reweight);
  }

  /**
   * Sets the class of a device, or takes it away.
   *
   * @param device - Name or id.
   * @param deviceClass - Such as `ssd`; undefined for none.
   */
  setClass(device: string | number, deviceClass: string | undefined): void {
    this.#edit((draft) => {
      setDeviceClass(draft, itemOf(draft, device).id, deviceClass);
    });
  }

  /** Sets the class of all devices below a bucket. */
  setSubtreeClass(bucket: string, deviceClass: string): void {
    this.#edit((draft) => {
      if (!isValidName(deviceClass)) throw badName(deviceClass);
      setSubtreeClass(draft, bucket, deviceClass);
      rebuildRootsWithClasses(draft);
    });
  }

  /**
   * Adds a rule that chooses one OSD in each of as many failure domains as a pool wants.
   *
   * @returns Its number.
   * @throws CrushError: the name is taken, the root, type or class is not in the map.
   */
  addRule(newRule: NewRule): number {
    const { failureDomain = 'host', kind = 'replicated', ...rule } = demandObject(newRule, 'a rule');
    return this.#edit((draft) => {
      if (!isValidName(rule.name)) throw badName(rule.name);
      if (draft.typeId(failureDomain) !== 0) typeOf(draft, failureDomain);
      checkCount(rule.failureDomains, 'failureDomains');
      checkCount(rule.osdsPerFailureDomain, 'osdsPerFailureDomain');
      if (settleShadowTrees(draft)) postponeShadowTrees(draft);
      const mode = modeOf(kind);
      const type = rule.osdsPerFailureDomain === undefined ? { type: RULE_TYPE[kind] } : {};
      return addSimpleRule(draft, { ...rule, ...type, failureDomain, mode });
    });
  }

  /**
   * Removes a rule.
   *
   * @param rule - Name or number.
   */
  removeRule(rule: string | number): void {
    this.#edit((draft) => {
      const id = typeof rule === 'number' ? rule : draft.ruleId(rule);
      if (id === undefined) throw new CrushError('not-found', `there is no rule '${rule}'`, {}, 'ENOENT');
      removeRule(draft, id);
    });
  }

  /**
   * Sets tunables: those of a profile, or some by name.
   *
   * @example
   * ```ts
   * editor.setTunables('jewel');
   * editor.setTunables({ chooseTotalTries: 100 });
   * ```
   */
  setTunables(tunables: TunablesProfile | Partial<CrushTunables>): void {
    this.#edit((draft) => {
      const values = typeof tunables === 'string' ? profileOf(tunables) : demandObject(tunables, 'tunables');
      for (const [name, value] of Object.entries(values)) checkTunable(draft, name, value);
      draft.tunables = { ...draft.tunables, ...values };
    });
  }

  /** Does an edit on a draft, and keeps the result if it does not throw. */
  #edit<T>(edit: (draft: CrushDraft) => T): T {
    if (this.#batch !== undefined) {
      try {
        return edit(this.#batch.draft);
      } catch (error) {
        this.#batch.failure ??= { error };
        throw error;
      }
    }
    const draft = CrushDraft.from(this.#map);
    const batch: Batch = { draft };
    this.#batch = batch;
    try {
      const result = edit(draft);
      if (batch.failure !== undefined) throw batch.failure.error;
      checkTotals(draft, this.#map);
      draft.finalize();
      // Entries of buckets that are not straw2 have no effect, and are dropped by all that read the map again.
      updateChooseArgs(draft);
      this.#past.push(this.#map);
      if (this.#past.length > this.#undoLimit) this.#past.shift();
      this.#future.length = 0;
      this.#map = draft.finish();
      return result;
    } finally {
      this.#batch = undefined;
    }
  }

  #step(from: CrushMap[], to: CrushMap[]): boolean {
    if (this.#batch !== undefined) throw misuse('a batch is under way; undo or redo after it');
    const map = from.pop();
    if (map === undefined) return false;
    to.push(this.#map);
    this.#map = map;
    return true;
  }
}

/** The batch or edit that is under way, and what went wrong in it, if its caller went on regardless. */
interface Batch {
  readonly draft: CrushDraft;
  failure?: { readonly error: unknown };
}
