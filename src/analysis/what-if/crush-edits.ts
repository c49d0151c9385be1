/** Changes of CRUSH maps that are more than one edit. */
import { CrushDraft } from '../../crush/draft.ts';
import { typeOf } from '../../crush/edit/checks.ts';
import { noSuchItem, rebuildRootsWithClasses } from '../../crush/edit/classes.ts';
import { fixedWeight } from '../../crush/edit/fixed-weight.ts';
import { itemWeightOf } from '../../crush/edit/lookup.ts';
import { adjustItemWeight } from '../../crush/edit/weights.ts';
import { CrushMapEditor } from '../../crush/editor.ts';
import { RULE_OP, WEIGHT_ONE, type CrushMap, type CrushRuleStep } from '../../crush/model.ts';
import { findBucket, findItem, findRule } from '../../crush/names.ts';
import { CrushError } from '../../errors.ts';
import { osdsBelow } from './targets.ts';

/** An OSD or a bucket weighs so much in all; OSDs below a bucket share it as they do now, or each weighs so much. */
export function setCrushWeight(map: CrushMap, name: string, weight: number, each: boolean): CrushMap {
  const draft = CrushDraft.from(map);
  const item = itemOf(map, name);
  const fixed = fixedWeight(weight);
  const osds = osdsBelow(map, item);
  if (item >= 0) {
    if (adjustItemWeight(draft, item, fixed) > 0) return draft.finish();
    throw new CrushError('refused', `'${name}' is in no bucket, so it has no CRUSH weight; move it into one`);
  }
  const weights = osds.map((osd) => itemWeightOf(draft, osd));
  const total = weights.reduce((sum, own) => sum + own, 0);
  if (!each && total <= 0 && fixed > 0) {
    throw new CrushError(
      'refused',
      `the OSDs of '${name}' weigh 0, so there is no proportion to share ${weight} in; take reweight-subtree`,
    );
  }
  for (const [i, osd] of osds.entries()) {
    const share = each ? fixed : Math.round(((weights[i] ?? 0) / Math.max(1, total)) * fixed);
    adjustItemWeight(draft, osd, share);
  }
  // As Ceph does after `reweight-subtree`; it matters to the weight-sets of shadow buckets.
  if (each) rebuildRootsWithClasses(draft);
  return draft.finish();
}

/** Takes an OSD, or a bucket with all below it, out of the hierarchy. */
export function removeFromCrush(map: CrushMap, name: string): CrushMap {
  const editor = CrushMapEditor.from(map);
  const remove = (item: number): void => {
    for (const below of findBucket(map, item)?.items ?? []) remove(below);
    editor.remove(item);
  };
  editor.batch(() => {
    remove(itemOf(map, name));
  });
  return editor.map;
}

/**
 * A rule that keeps OSDs of a PG apart by buckets of another type.
 *
 * @throws CrushError `refused` for a rule with more than one choice below a take
 */
export function setFailureDomain(map: CrushMap, ruleName: string, typeName: string): CrushMap {
  const rule = findRule(map, ruleName);
  const draft = CrushDraft.from(map);
  const type = typeName === draft.typeNames.get(0) ? 0 : typeOf(draft, typeName);
  let choices = 0;
  const steps = rule.steps.map((step): CrushRuleStep => {
    if (step.op === RULE_OP.take) choices = 0;
    const form = CHOICE_FORMS.get(step.op);
    if (form === undefined) return step;
    choices++;
    const isWhole = step.arg2 === 0 || form.toLeaf;
    if (choices > 1 || !isWhole) {
      throw new CrushError(
        'refused',
        `rule '${ruleName}' chooses in several steps, so it has no single failure domain; import a CRUSH map with ` +
          `the rule as it is to be`,
      );
    }
    return { ...step, op: type === 0 ? form.plain : form.leaf, arg2: type };
  });
  if (choices === 0)
    throw new CrushError('refused', `rule '${ruleName}' has no choice to give a failure domain`);
  draft.rules[rule.id] = { ...rule, steps };
  return draft.finish();
}

/** 16.16 of a weight of 0 to 1, cut as the monitor does. */
export function fraction(what: string, weight: number): number {
  if (weight >= 0 && weight <= 1) return Math.trunc(weight * WEIGHT_ONE);
  throw new CrushError('bad-argument', `${what} is from 0 to 1, not ${weight}`);
}

function itemOf(map: CrushMap, name: string): number {
  const plain = /^\d+$/.test(name) ? `osd.${name}` : name;
  const item = findItem(map, plain);
  if (item === undefined) throw noSuchItem(name);
  return item;
}

interface ChoiceForm {
  readonly plain: number;
  readonly leaf: number;
  readonly toLeaf: boolean;
}

const FIRSTN = { plain: RULE_OP.chooseFirstn, leaf: RULE_OP.chooseleafFirstn };
const INDEP = { plain: RULE_OP.chooseIndep, leaf: RULE_OP.chooseleafIndep };
const CHOICE_FORMS: ReadonlyMap<number, ChoiceForm> = new Map<number, ChoiceForm>([
  [RULE_OP.chooseFirstn, { ...FIRSTN, toLeaf: false }],
  [RULE_OP.chooseleafFirstn, { ...FIRSTN, toLeaf: true }],
  [RULE_OP.chooseIndep, { ...INDEP, toLeaf: false }],
  [RULE_OP.chooseleafIndep, { ...INDEP, toLeaf: true }],
]);
