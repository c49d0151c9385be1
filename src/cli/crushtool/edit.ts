/** The stages of crushtool that change the map: tunables, then modifications, in the original's order. */
import type { CrushDraft } from '../../crush/draft.ts';
import { addBucket } from '../../crush/edit/bucket-table.ts';
import { rebuildRootsWithClasses, setSubtreeClass } from '../../crush/edit/classes.ts';
import { fixedWeight } from '../../crush/edit/fixed-weight.ts';
import {
  createOrMoveItem,
  insertItem,
  itemAtLocation,
  moveBucket,
  removeItem,
  updateItem,
} from '../../crush/edit/hierarchy.ts';
import { checkEditable } from '../../crush/edit/lookup.ts';
import { reclassify } from '../../crush/edit/reclassify.ts';
import {
  addSimpleRule,
  removeRule,
  simpleRuleFault,
  type RuleFault,
  type SimpleRule,
} from '../../crush/edit/rules.ts';
import { adjustItemWeight, reweight } from '../../crush/edit/weights.ts';
import { CrushError, type CrushErrno } from '../../errors.ts';
import { CommandExit, type TextSink } from '../io.ts';
import { formatFloat } from '../iostream-format.ts';
import { PACIFIC } from '../release-option.ts';
import { chosenTunables, hasEdits, type EditOptions } from './edit-options.ts';
import { errnoText, exitStatus } from './errno.ts';

/**
 * Does to a map what the options ask for.
 *
 * @param out - Gets what the original prints on standard output.
 * @returns Whether anything was to be changed: the original then writes the map out.
 * @throws CommandExit where the original ends.
 */
export function editStage(
  draft: CrushDraft,
  options: EditOptions & { readonly release: number },
  out: TextSink,
): boolean {
  const tunables = chosenTunables(options);
  draft.tunables = {
    ...draft.tunables,
    ...tunables,
    ...(tunables.chooseleafDescendOnce !== undefined && {
      chooseleafDescendOnce: tunables.chooseleafDescendOnce === 0 ? 0 : 1,
    }),
  };
  if (!hasEdits(options)) return Object.keys(tunables).length > 0;
  checkEditable(draft);

  if (options.reweightName !== '') reweightItem(draft, options, out);
  if (options.removeName !== '') removeNamed(draft, options.removeName, out);
  if (options.addItem >= 0) addItem(draft, options);
  if (options.addBucket) addNamedBucket(draft, options);
  if (options.moveItem) moveItem(draft, options);
  if (options.addRule) addRule(draft, options);
  if (options.removeRule) removeNamedRule(draft, options.ruleName);
  if (options.reweight) reweight(draft);
  if (options.rebuildClassRoots) {
    orExit(() => rebuildRootsWithClasses(draft), 'failed to rebuidl roots with classes\n');
  }
  for (const [subtree, className] of options.setSubtreeClass) {
    // As in the original, a bucket that is not there is passed over.
    attempt(() => setSubtreeClass(draft, subtree, className));
  }
  if (options.reclassify) {
    const { reclassifyRoot: roots, reclassifyBucket: buckets } = options;
    const failure = attempt(() =>
      reclassify(draft, { roots, buckets }, (line) => out.add(`${line}\n`), errnoText),
    );
    if (failure !== undefined) throw new CommandExit(1, 'failed to reclassify map\n');
  }
  return true;
}

/** What a simple rule of `crushtool` says of the sizes of pools: 16.2 and before still wrote what suits the mode. */
export function simpleRuleSizes(mode: string, release: number): Pick<SimpleRule, 'sizes'> {
  if (release > PACIFIC) return {};
  return { sizes: mode === 'firstn' ? { min: 1, max: 10 } : { min: 3, max: 20 } };
}

function reweightItem(draft: CrushDraft, options: EditOptions, out: TextSink): void {
  const { reweightName: name, reweightWeight: weight } = options;
  // A NaN that was read has no sign, unlike one that was computed.
  out.add(`crushtool reweighting item ${name} to ${Number.isNaN(weight) ? 'nan' : formatFloat(weight)}\n`);
  const item = itemOrExit(draft, name);
  orExitWithErrno(() => {
    const changed = adjustItemWeight(draft, item, fixedWeight(weight));
    if (changed === 0) throw new CrushError('not-found', `'${name}' is in no bucket`, {}, 'ENOENT');
  });
}

function removeNamed(draft: CrushDraft, name: string, out: TextSink): void {
  out.add(`crushtool removing item ${name}\n`);
  const item = itemOrExit(draft, name);
  orExitWithErrno(() => removeItem(draft, item));
}

function addItem(draft: CrushDraft, options: EditOptions): void {
  const { addItem: item, addWeight: weight, addName: name, locations } = options;
  orExitWithErrno(() => {
    if (options.updateItem) updateItem(draft, item, weight, name, locations);
    else insertItem(draft, item, weight, name, locations);
  });
}

function addNamedBucket(draft: CrushDraft, options: EditOptions): void {
  const { addName: name, addType, locations } = options;
  if (draft.itemId(name) !== undefined) {
    throw new CommandExit(exitStatus('EEXIST'), `crushtool bucket '${name}' already exists\n`);
  }
  const type = draft.typeId(addType) ?? -1;
  if (type <= 0) throw new CommandExit(exitStatus('EINVAL'), `crushtool bad bucket type: ${addType}\n`);
  let id = 0;
  const failure = attempt(() => (id = addBucket(draft, { type })));
  if (failure !== undefined) {
    throw new CommandExit(exitStatus(failure), `crushtool unable to add bucket: ${errnoText(failure)}\n`);
  }
  if (!draft.setItemName(id, name)) {
    throw new CommandExit(exitStatus('EINVAL'), `crushtool bad bucket name: ${name}\n`);
  }
  if (locations.size === 0 || itemAtLocation(draft, id, locations) !== undefined) return;
  const refusal = attempt(() => moveBucket(draft, id, locations));
  if (refusal !== undefined) {
    throw new CommandExit(
      exitStatus(refusal),
      `crushtool error moving bucket '${name}' to ${mapText(locations)}\n`,
    );
  }
}

function moveItem(draft: CrushDraft, options: EditOptions): void {
  const { moveName: name, locations } = options;
  const id = draft.itemId(name);
  if (id === undefined)
    throw new CommandExit(exitStatus('ENOENT'), `crushtool item '${name}' does not exist\n`);
  if (locations.size === 0) {
    throw new CommandExit(exitStatus('EINVAL'), 'crushtool expecting additional --loc argument to --move\n');
  }
  if (itemAtLocation(draft, id, locations) !== undefined) {
    throw new CommandExit(1, `crushtool item '${name}' already at ${mapText(locations)}\n`);
  }
  const failure = attempt(() => {
    if (id >= 0) createOrMoveItem(draft, id, 0, name, locations);
    else moveBucket(draft, id, locations);
  });
  if (failure !== undefined) throw new CommandExit(exitStatus(failure));
}

function addRule(draft: CrushDraft, options: EditOptions & { readonly release: number }): void {
  const rule: SimpleRule = {
    name: options.ruleName,
    root: options.ruleRoot,
    failureDomain: options.ruleType,
    deviceClass: options.ruleDeviceClass,
    mode: options.ruleMode,
    ...simpleRuleSizes(options.ruleMode, options.release),
  };
  const fault = simpleRuleFault(draft, rule);
  // What the original has kept of complaints until now comes out with those about the rule, but for its name.
  const kept = fault?.reason === 'name-taken' ? '' : options.complaints;
  if (fault !== undefined) throw new CommandExit(1, `${kept}${faultText(fault, rule)}\n`);
  const failure = attempt(() => addSimpleRule(draft, rule));
  if (failure === undefined) return;
  throw new CommandExit(1, `${kept}failed to add rule ${draft.rules.length} because ${errnoText(failure)}\n`);
}

/** What the original says about a rule that it cannot make. */
function faultText({ reason, value }: RuleFault, { root }: SimpleRule): string {
  switch (reason) {
    case 'name-taken':
      return `rule ${value} already exists`;
    case 'id-taken':
      return `rule with ruleno ${value} exists`;
    case 'no-root':
      return `root item ${value} does not exist`;
    case 'no-type':
      return `unknown type ${value}`;
    case 'no-class':
      return `device class ${value} does not exist`;
    case 'empty-class':
      return `root ${root} has no devices with class ${value}`;
    case 'no-mode':
      return `unknown mode ${value}`;
  }
}

function removeNamedRule(draft: CrushDraft, name: string): void {
  const id = draft.ruleId(name);
  if (id === undefined) throw new CommandExit(0, `rule ${name} does not exist\n`);
  orExit(() => removeRule(draft, id), `fail to remove rule ${name}\n`);
}

function itemOrExit(draft: CrushDraft, name: string): number {
  const item = draft.itemId(name);
  if (item !== undefined) return item;
  throw new CommandExit(exitStatus('ENOENT'), ` name ${name} dne\ncrushtool ${errnoText('ENOENT')}\n`);
}

/** A map of strings as Ceph prints it. */
function mapText(map: ReadonlyMap<string, string>): string {
  return `{${[...map].map(([key, value]) => `${key}=${value}`).join(',')}}`;
}

function orExitWithErrno(edit: () => void): void {
  const failure = attempt(edit);
  if (failure !== undefined) throw new CommandExit(exitStatus(failure), `crushtool ${errnoText(failure)}\n`);
}

function orExit(edit: () => void, text: string): void {
  if (attempt(edit) !== undefined) throw new CommandExit(1, text);
}

/** Tries an edit: the errno that Ceph has for what stands in the way, or undefined. */
function attempt(edit: () => void): CrushErrno | undefined {
  try {
    edit();
    return undefined;
  } catch (error) {
    if (error instanceof CrushError && error.errno !== undefined) return error.errno;
    throw error;
  }
}
