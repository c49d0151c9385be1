/** Rules added and removed, as `CrushWrapper::add_simple_rule_at` and `remove_rule` do it. */
import { CrushError } from '../../errors.ts';
import type { CrushDraft } from '../draft.ts';
import { RULE_OP, RULE_TYPE, type CrushRuleStep } from '../model.ts';
import { rebuildRootsWithClasses } from './classes.ts';

/** Most rules that Ceph's tools make (`CRUSH_MAX_RULES`). */
const MAX_CEPH_RULES = 256;

/** A rule that spreads the OSDs of a PG over buckets of one type. */
export interface SimpleRule {
  readonly name: string;
  /** Name of the bucket below which to choose. */
  readonly root: string;
  /** Name of the type of bucket no two OSDs may share; '' or the type of devices for any OSDs. */
  readonly failureDomain: string;
  /** Only devices of this class; '' or none for all. */
  readonly deviceClass?: string;
  /** `firstn` for replicas, `indep` for erasure codes, whose positions matter. */
  readonly mode: string;
  /** How many failure domains to choose; default: as many as the pool wants OSDs. */
  readonly failureDomains?: number;
  /**
   * How many OSDs to choose in each: makes it an MSR rule, which only Squid and later can run
   * (`add_multi_osd_per_failure_domain_rule_at`).
   */
  readonly osdsPerFailureDomain?: number;
  /** See {@link RULE_TYPE}; default: replicated, or, of an MSR rule, what suits the mode. */
  readonly type?: number;
  /** Default: the lowest that is free. */
  readonly id?: number;
  /** What the rule says of the sizes of pools; default: 1 and 100, as the releases do that do not use it. */
  readonly sizes?: { readonly min: number; readonly max: number };
}

/** Why a simple rule cannot be made; `value` is what is wrong. */
export interface RuleFault {
  readonly reason: 'name-taken' | 'id-taken' | 'no-root' | 'no-type' | 'no-class' | 'empty-class' | 'no-mode';
  readonly value: string | number;
}

/** The first fault of a rule in the order in which Ceph looks for them, or undefined. */
export function simpleRuleFault(draft: CrushDraft, rule: SimpleRule): RuleFault | undefined {
  const { name, root, failureDomain, deviceClass = '', mode, id } = rule;
  if (draft.ruleId(name) !== undefined) return { reason: 'name-taken', value: name };
  if (id !== undefined && draft.rules[id] !== undefined) return { reason: 'id-taken', value: id };
  const rootId = draft.itemId(root);
  if (rootId === undefined) return { reason: 'no-root', value: root };
  if (failureDomain !== '' && (draft.typeId(failureDomain) ?? -1) < 0) {
    return { reason: 'no-type', value: failureDomain };
  }
  if (deviceClass !== '') {
    const classId = draft.classId(deviceClass);
    if (classId === undefined) return { reason: 'no-class', value: deviceClass };
    if (draft.classBuckets.get(rootId)?.has(classId) !== true)
      return { reason: 'empty-class', value: deviceClass };
  }
  return mode === 'firstn' || mode === 'indep' ? undefined : { reason: 'no-mode', value: mode };
}

/**
 * Adds a rule that takes a root, chooses one OSD in each of as many buckets of a type as the pool has replicas, and
 * emits them (`add_simple_rule_at`).
 *
 * @returns The rule's number.
 * @throws CrushError for each {@link RuleFault}, and where there are 256 rules already.
 */
export function addSimpleRule(draft: CrushDraft, rule: SimpleRule): number {
  const fault = simpleRuleFault(draft, rule);
  if (fault !== undefined) throw faultError(fault, rule);
  const id = rule.id ?? firstFree(draft);
  if (id >= draft.rules.length && draft.rules.length >= MAX_CEPH_RULES) {
    throw new CrushError('refused', `there are ${MAX_CEPH_RULES} rules already; remove one`, {}, 'ENOSPC');
  }
  while (draft.rules.length <= id) draft.rules.push(undefined);
  const { min, max } = rule.sizes ?? { min: 1, max: 100 };
  draft.rules[id] = {
    id,
    type: rule.type ?? defaultType(rule),
    ruleset: id,
    minSize: min,
    maxSize: max,
    steps: stepsOf(draft, rule),
  };
  draft.setRuleName(id, rule.name);
  draft.forgetNames();
  return id;
}

/**
 * Removes a rule; classes that only it took go away (`remove_rule`).
 *
 * @throws CrushError `not-found`.
 */
export function removeRule(draft: CrushDraft, id: number): void {
  if (draft.rules[id] === undefined)
    throw new CrushError('not-found', `there is no rule ${id}`, {}, 'ENOENT');
  draft.rules[id] = undefined;
  draft.ruleNames.delete(id);
  draft.forgetNames();
  rebuildRootsWithClasses(draft);
}

function defaultType({ mode, osdsPerFailureDomain }: SimpleRule): number {
  if (osdsPerFailureDomain === undefined) return RULE_TYPE.replicated;
  return mode === 'firstn' ? RULE_TYPE.msrFirstn : RULE_TYPE.msrIndep;
}

function stepsOf(draft: CrushDraft, rule: SimpleRule): CrushRuleStep[] {
  const { root, failureDomain, deviceClass, mode, failureDomains = 0, osdsPerFailureDomain } = rule;
  const type = failureDomain === '' ? 0 : (draft.typeId(failureDomain) ?? 0);
  let item = draft.itemId(root) ?? 0;
  if (deviceClass !== undefined && deviceClass !== '') {
    item = draft.classBuckets.get(item)?.get(draft.classId(deviceClass) ?? 0) ?? item;
  }
  const take = { op: RULE_OP.take, arg1: item, arg2: 0 };
  const emit = { op: RULE_OP.emit, arg1: 0, arg2: 0 };
  if (osdsPerFailureDomain !== undefined) {
    const choose = { op: RULE_OP.chooseMsr, arg1: failureDomains, arg2: type };
    return [take, choose, { op: RULE_OP.chooseMsr, arg1: osdsPerFailureDomain, arg2: 0 }, emit];
  }
  const [choose, chooseleaf] =
    mode === 'firstn'
      ? [RULE_OP.chooseFirstn, RULE_OP.chooseleafFirstn]
      : [RULE_OP.chooseIndep, RULE_OP.chooseleafIndep];
  const tries = [
    { op: RULE_OP.setChooseleafTries, arg1: 5, arg2: 0 },
    { op: RULE_OP.setChooseTries, arg1: 100, arg2: 0 },
  ];
  return [
    ...(mode === 'indep' ? tries : []),
    take,
    { op: type === 0 ? choose : chooseleaf, arg1: failureDomains, arg2: type },
    emit,
  ];
}

function firstFree(draft: CrushDraft): number {
  const id = draft.rules.indexOf(undefined);
  return id === -1 ? draft.rules.length : id;
}

function faultError({ reason, value }: RuleFault, { root }: SimpleRule): CrushError {
  switch (reason) {
    case 'name-taken':
      return new CrushError(
        'refused',
        `there is a rule '${value}' already; choose another name`,
        {},
        'EEXIST',
      );
    case 'id-taken':
      return new CrushError(
        'refused',
        `there is a rule ${value} already; choose another number`,
        {},
        'EEXIST',
      );
    case 'no-root':
      return new CrushError('not-found', `there is no bucket '${value}' to take`, {}, 'ENOENT');
    case 'no-type':
      return new CrushError('bad-argument', `there is no type '${value}' in the map`, {}, 'EINVAL');
    case 'no-class':
      return new CrushError('bad-argument', `no device has the class '${value}'; set it first`, {}, 'EINVAL');
    case 'empty-class':
      return new CrushError(
        'bad-argument',
        `below '${root}' no device has the class '${value}'`,
        {},
        'EINVAL',
      );
    case 'no-mode':
      return new CrushError('bad-argument', `'${value}' is no mode; use 'firstn' or 'indep'`, {}, 'EINVAL');
  }
}
