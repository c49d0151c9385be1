/** What a distribution says, in words: what is wrong, and what would help. */
import { RULE_OP, type CrushMap, type CrushRuleStep } from '../crush/model.ts';
import { itemName, typeName } from '../crush/names.ts';
import type { CrushProblem, CrushProblemCode } from '../crush/validate.ts';
import { ruleBlocks } from '../crush/validate/rule-blocks.ts';
import {
  measureDistribution,
  type Distribution,
  type DistributionRequest,
  type ShareLevel,
} from './distribution.ts';

/** Inputs that are mapped again to see whether more tries would help. */
const TRIAL_INPUTS = 20_000;
/** Tries that are tried, at least. */
const MANY_TRIES = 200;
/** A spread beyond chance that is worth a word. */
const NOTABLE = 0.01;
/** Chance gives a chi-squared as great as this seldom enough for it to mean something. */
const UNLIKELY = 0.001;
/** A part of all choices that takes more than half of the tries there are. */
const MANY_RETRIES = 0.001;

/** Problems that explain mappings with too few OSDs. */
const SHORTAGES: ReadonlySet<CrushProblemCode> = new Set([
  'too-few-osds',
  'too-few-osds-at-times',
  'below-min-size',
  'no-such-domain',
  'empty-take',
  'empty-class-tree',
  'take-missing',
  'device-above-domain',
  'device-beyond-max',
  'choose-below-device',
  'choose-without-take',
  'wrong-mode-step',
  'no-emit',
]);

/** Problems that explain counts that do not follow the weights. */
const SKEWS: ReadonlySet<CrushProblemCode> = new Set([
  'heavy-domain',
  'item-weight',
  'bucket-weight',
  'list-sums',
  'tree-nodes',
  'straw-lengths',
  'shadow-weights',
  'shadow-stale',
  'duplicate-item',
  'several-parents',
  'choose-args-sum',
  'choose-args-weight',
  'choose-args-ids',
  'negative-weight',
  'no-spare-domain',
]);

/** One finding; `ok` where nothing is to be done. */
export interface Finding {
  readonly kind: 'ok' | 'hint' | 'fault';
  readonly text: string;
}

/** What a distribution says, with the problems of the map that bear on its rule. */
export function findingsOf(
  map: CrushMap,
  request: DistributionRequest,
  found: Distribution,
  problems: readonly CrushProblem[],
): Finding[] {
  const own = problems.filter(({ place }) => place.rule === undefined || place.rule === request.rule);
  return [
    ...badFindings(map, request, found, own),
    ...retryFindings(map, found),
    ...domainFindings(map, found),
    ...spreadFindings(map, request, found, own),
  ];
}

function badFindings(
  map: CrushMap,
  request: DistributionRequest,
  found: Distribution,
  problems: readonly CrushProblem[],
): Finding[] {
  const { bad, mappings } = found;
  if (mappings === 0) return [];
  if (bad.mappings === 0) {
    return [{ kind: 'ok', text: `every mapping has ${found.size} different OSDs` }];
  }
  const findings: Finding[] = [];
  if (bad.buckets > 0) {
    findings.push({
      kind: 'fault',
      text: 'the rule gives buckets instead of OSDs: end it with a choice of OSDs',
    });
  }
  if (bad.duplicates > 0) {
    const text =
      `${share(bad.duplicates, mappings)} of mappings have an OSD twice: blocks of the rule choose from the same ` +
      `OSDs, each for itself; take classes or buckets that have nothing in common`;
    findings.push({ kind: 'fault', text });
  }
  const lacking = Math.max(bad.short, bad.holes);
  if (lacking === 0) return findings;
  const lack = `${share(lacking, mappings)} of mappings have fewer than ${found.size} OSDs`;
  const reasons = problems.filter(({ code }) => SHORTAGES.has(code));
  const [reason] = reasons;
  if (reason !== undefined) {
    findings.push({ kind: 'fault', text: `${lack}: ${reason.message}; ${reason.cure}` });
    return findings;
  }
  const trial = withMoreTries(map, request, found);
  if (trial === undefined) findings.push({ kind: 'fault', text: `${lack}, and more tries would not help` });
  else {
    const text =
      `${lack}, since tries run out: with ${trial.tries} tries ${share(trial.after, trial.inputs)} would; put ` +
      `'step set_choose_tries ${trial.tries}' before the take of the rule, or raise choose_total_tries`;
    findings.push({ kind: 'fault', text });
  }
  return findings;
}

/** Maps some of the inputs with more tries; undefined where that makes little better. */
function withMoreTries(
  map: CrushMap,
  request: DistributionRequest,
  found: Distribution,
): { tries: number; after: number; inputs: number } | undefined {
  const rule = map.rules[request.rule];
  if (rule === undefined) return undefined;
  const usual = Math.max(
    0,
    ...ruleBlocks(rule, map.tunables).flatMap(({ choices }) => choices.map((c) => c.tries)),
  );
  const tries = Math.max(MANY_TRIES, 4 * usual);
  const set: CrushRuleStep = { op: RULE_OP.setChooseTries, arg1: tries, arg2: 0 };
  const steps = [set, ...rule.steps.filter(({ op }) => op !== RULE_OP.setChooseTries)];
  const rules = map.rules.map((each) => (each === rule ? { ...rule, steps } : each));
  const inputs = Math.min(request.count, TRIAL_INPUTS);
  const { bad } = measureDistribution({ ...map, rules }, { ...request, count: inputs });
  const after = Math.max(bad.short, bad.holes);
  const before = (Math.max(found.bad.short, found.bad.holes) / found.mappings) * inputs;
  return after < before / 2 ? { tries, after, inputs } : undefined;
}

function retryFindings(map: CrushMap, { tries, bad, rule }: Distribution): Finding[] {
  const all = tries.reduce((sum, count) => sum + count, 0);
  const wanted = map.rules[rule];
  if (all === 0 || wanted === undefined || bad.short + bad.holes > 0) return [];
  const most = Math.max(
    ...ruleBlocks(wanted, map.tunables).flatMap(({ choices }) => choices.map((c) => c.tries)),
  );
  const late = tries.subarray(Math.ceil(most / 2)).reduce((sum, count) => sum + count, 0);
  if (late / all < MANY_RETRIES) return [];
  const text =
    `${share(late, all)} of choices take more than half of the ${most} tries there are: when OSDs go out some will ` +
    `fail; put 'step set_choose_tries ${2 * most}' before the take of the rule`;
  return [{ kind: 'hint', text }];
}

/** How often two OSDs of a PG are in the same bucket. */
function domainFindings(map: CrushMap, { rule, levels, mappings, size }: Distribution): Finding[] {
  const types = (map.rules[rule]?.steps ?? [])
    .filter(({ op }) => op !== RULE_OP.take)
    .map(({ arg2 }) => arg2);
  const domain = Math.max(0, ...types);
  return levels.flatMap((level): Finding[] => {
    if (level.kind !== 'bucket' || level.crowded === 0 || size < 2 || level.rows.length < 2) return [];
    const name = typeName(map, level.type) ?? `type ${level.type}`;
    const text = `${share(level.crowded, mappings)} of mappings have two OSDs in one ${name}`;
    if (level.type === domain) {
      return [
        {
          kind: 'hint',
          text: `${text}, though the rule spreads over ${name}s: its blocks choose each for itself`,
        },
      ];
    }
    // Above the type that the rule spreads over that is what was asked for.
    return domain === 0 && level === levels.find(({ kind }) => kind === 'bucket')
      ? [{ kind: 'hint', text: `${text}: the rule spreads over OSDs only` }]
      : [];
  });
}

function spreadFindings(
  map: CrushMap,
  request: DistributionRequest,
  { levels }: Distribution,
  problems: readonly CrushProblem[],
): Finding[] {
  const [osds] = levels;
  if (osds === undefined || osds.rows.length < 2) return [];
  const { spread, chance, beyondChance, probability } = osds.statistics;
  if (probability > UNLIKELY || beyondChance < NOTABLE) {
    const text = `OSDs differ from their share by ${percent(spread)}, of which sampling gives ${percent(chance)}: counts follow the weights`;
    return [{ kind: 'ok', text }];
  }
  const start = `OSDs differ from their share by ${percent(spread)}, where sampling alone gives ${percent(chance)}`;
  const reasons = problems.filter(({ code }) => SKEWS.has(code));
  const [reason, ...others] = reasons;
  if (reason !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more below)`;
    return [{ kind: 'hint', text: `${start}: ${reason.where}: ${reason.message}${more}; ${reason.cure}` }];
  }
  const tilt = tiltOf(osds);
  if (tilt < -NOTABLE) {
    const text =
      `${start}: the heavier half gets ${percent(-tilt)} less than its share, since a PG takes each failure domain ` +
      `once only; make buckets of one level weigh about the same, or let the balancer correct it ('ceph balancer on')`;
    return [{ kind: 'hint', text }];
  }
  const set = request.chooseArgs === undefined ? undefined : map.chooseArgs.get(request.chooseArgs);
  const text =
    set === undefined
      ? `${start}; ${itemName(map, osds.rows[osds.statistics.fullest]?.id ?? 0) ?? 'an OSD'} has most`
      : `${start}: the weight-sets of choose_args ${request.chooseArgs} shift it; they were made for other weights or pools`;
  return [{ kind: 'hint', text }];
}

/** By how much the heavier half of the rows is above its share. */
function tiltOf({ rows }: ShareLevel): number {
  const sorted = rows.filter(({ expected }) => expected > 0).sort((a, b) => b.expected - a.expected);
  const half = sorted.slice(0, Math.floor(sorted.length / 2));
  const expected = half.reduce((sum, row) => sum + row.expected, 0);
  return expected === 0 ? 0 : half.reduce((sum, row) => sum + row.count, 0) / expected - 1;
}

/** A part in percent, with as many decimals as it takes to be more than 0. */
export function share(part: number, whole: number): string {
  return percent(whole === 0 ? 0 : part / whole);
}

/** A ratio in percent. */
export function percent(ratio: number): string {
  const value = ratio * 100;
  const decimals = value === 0 || Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4;
  return `${value.toFixed(decimals)} %`;
}
