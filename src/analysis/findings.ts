/** What a distribution says, in words: what is wrong, and what would help. */
import { RULE_OP, type CrushMap, type CrushRule, type CrushRuleStep } from '../crush/model.ts';
import { itemName, typeName } from '../crush/names.ts';
import type { CrushProblem, CrushProblemCode } from '../crush/validate.ts';
import { ruleBlocks, type RuleBlock } from '../crush/validate/rule-blocks.ts';
import {
  measureDistribution,
  type Distribution,
  type DistributionRequest,
  type ShareLevel,
} from './distribution.ts';

/** Most inputs that are mapped again to see whether more tries would help. */
const TRIAL_INPUTS = 20_000;
/** Bad mappings that are enough to compare. */
const TRIAL_FAULTS = 100;
/** Tries that are tried, at least. */
const MANY_TRIES = 200;
/** A spread beyond chance that is worth a word. */
const NOTABLE = 0.01;
/** So much less than its share of the heavier half is the reason for such a spread. */
const NOTABLE_TILT = 0.002;
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

/** Problems that explain counts that do not follow the weights: those first that do so whatever else there is. */
const SKEWS: readonly CrushProblemCode[] = [
  'negative-weight',
  'item-weight',
  'list-sums',
  'tree-nodes',
  'straw-lengths',
  'shadow-stale',
  'shadow-weights',
  'duplicate-item',
  'choose-args-negative',
  'choose-args-sum',
  'choose-args-weight',
  'choose-args-ids',
  'heavy-domain',
  'no-spare-domain',
];

/** Of these, the ones that bear on mappings to several OSDs only. */
const SKEWS_OF_SEVERAL: ReadonlySet<CrushProblemCode> = new Set(['heavy-domain', 'no-spare-domain']);

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
    const text =
      found.size === 1 ? 'every mapping has an OSD' : `every mapping has ${found.size} different OSDs`;
    return [{ kind: 'ok', text }];
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
  const lack = `${share(lacking, mappings)} of mappings have fewer OSDs than ${found.size}`;
  const reasons = problems.filter(({ code }) => SHORTAGES.has(code));
  const [reason] = reasons;
  if (reason !== undefined) {
    findings.push({ kind: 'fault', text: `${lack}: ${reason.message}; ${reason.cure}` });
    return findings;
  }
  const trial = withMoreTries(map, request, lacking / mappings);
  const after = trial.after === 0 ? 'none' : share(trial.after, trial.inputs);
  const before = (lacking / mappings) * trial.inputs;
  const text =
    trial.after < before / 2
      ? `${lack}, since tries run out: with ${trial.tries} tries ${after} would; put 'step set_choose_tries ` +
        `${trial.tries}' before the take of the rule, or raise choose_total_tries`
      : `${lack}, and with ${trial.tries} tries still ${after} would: what has weight is too little to choose from; ` +
        `add failure domains, or make their weights more alike`;
  return [...findings, { kind: 'fault', text }];
}

/** Maps some of the inputs with more tries, and counts those that lack OSDs. */
function withMoreTries(
  map: CrushMap,
  request: DistributionRequest,
  rate: number,
): { readonly tries: number; readonly after: number; readonly inputs: number } {
  const rule = map.rules[request.rule];
  const tries = Math.max(MANY_TRIES, 4 * mostTries(map, rule));
  const set: CrushRuleStep = { op: RULE_OP.setChooseTries, arg1: tries, arg2: 0 };
  const rules = map.rules.map((each) => {
    if (each === undefined || each !== rule) return each;
    return { ...each, steps: [set, ...each.steps.filter(({ op }) => op !== RULE_OP.setChooseTries)] };
  });
  const inputs = Math.min(request.count, TRIAL_INPUTS, Math.ceil(TRIAL_FAULTS / rate));
  const { bad } = measureDistribution({ ...map, rules }, { ...request, count: inputs });
  return { tries, after: Math.max(bad.short, bad.holes), inputs };
}

/** Most tries that a choice of a rule has. */
function mostTries(map: CrushMap, rule: CrushRule | undefined): number {
  const blocks = rule === undefined ? [] : ruleBlocks(rule, map.tunables);
  return Math.max(0, ...blocks.flatMap(({ choices }) => choices.map((choice) => choice.tries)));
}

function retryFindings(map: CrushMap, { tries, bad, rule }: Distribution): Finding[] {
  const all = tries.reduce((sum, count) => sum + count, 0);
  if (all === 0 || bad.short + bad.holes > 0) return [];
  const most = mostTries(map, map.rules[rule]);
  const late = tries.subarray(Math.ceil(most / 2)).reduce((sum, count) => sum + count, 0);
  if (late / all < MANY_RETRIES) return [];
  const text =
    `${share(late, all)} of choices take more than half of the ${most} tries there are: when OSDs go out some will ` +
    `fail; put 'step set_choose_tries ${2 * most}' before the take of the rule`;
  return [{ kind: 'hint', text }];
}

/** How often two OSDs of a PG are in the same bucket, where the rule does not ask for that. */
function domainFindings(map: CrushMap, { rule: id, levels, mappings, size }: Distribution): Finding[] {
  const rule = map.rules[id];
  const blocks =
    rule === undefined ? [] : ruleBlocks(rule, map.tunables).filter(({ choices }) => choices.length > 0);
  const domains = new Set(blocks.map(domainOf));
  const [domain] = domains;
  // Of rules that spread over several types, or choose several OSDs in each bucket, crowding is what they ask for.
  if (domains.size !== 1 || domain === undefined || size < 2) return [];
  const level = levels.find(({ kind, type }) => kind === 'bucket' && (domain === 0 || type === domain));
  if (level === undefined || level.crowded === 0 || level.rows.length < 2) return [];
  const name = typeName(map, level.type) ?? `type ${level.type}`;
  const text = `${share(level.crowded, mappings)} of mappings have two OSDs in one ${name}`;
  const why =
    domain === 0
      ? ': the rule spreads over OSDs only'
      : `, though the rule spreads over ${name}s: its blocks choose each for itself`;
  return [{ kind: 'hint', text: text + why }];
}

/** The type that a block takes one OSD each of: 0 for OSDs; undefined where it takes several in each. */
function domainOf({ choices }: RuleBlock): number | undefined {
  const last = choices.at(-1);
  if (last === undefined || last.toLeaf || choices.length === 1) return last?.type;
  return last.type === 0 && last.count === 1 ? choices.at(-2)?.type : undefined;
}

/** Whether counts follow the weights: of OSDs, and of buckets, where differences of OSDs add up. */
function spreadFindings(
  map: CrushMap,
  request: DistributionRequest,
  { levels }: Distribution,
  problems: readonly CrushProblem[],
): Finding[] {
  const judged = levels.filter(({ kind, rows }) => kind !== 'class' && rows.length > 1);
  const [lowest] = judged;
  if (lowest === undefined) return [];
  const level = judged.find(
    ({ statistics }) => statistics.probability < UNLIKELY && statistics.beyondChance > NOTABLE,
  );
  const { spread, chance } = (level ?? lowest).statistics;
  if (level === undefined) {
    const text =
      `OSDs differ from their share by ${percent(spread)}, of which sampling gives ${percent(chance)}: ` +
      `counts follow the weights`;
    return [{ kind: 'ok', text }];
  }
  const what = level.kind === 'device' ? 'OSDs' : `${typeName(map, level.type) ?? `type ${level.type}`}s`;
  const start = `${what} differ from their share by ${percent(spread)}, where sampling alone gives ${percent(chance)}`;
  const reasons = problems
    .filter(({ code }) => SKEWS.includes(code) && (request.size > 1 || !SKEWS_OF_SEVERAL.has(code)))
    .sort((one, other) => SKEWS.indexOf(one.code) - SKEWS.indexOf(other.code));
  const [reason, ...others] = reasons;
  if (reason !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more below)`;
    return [{ kind: 'hint', text: `${start}: ${reason.where}: ${reason.message}${more}; ${reason.cure}` }];
  }
  if (request.chooseArgs !== undefined && map.chooseArgs.has(request.chooseArgs)) {
    const text = `${start}: the weight-sets of choose_args ${request.chooseArgs} stand in for the weights`;
    return [{ kind: 'hint', text }];
  }
  const tilt = tiltOf(level);
  const text =
    tilt < -NOTABLE_TILT
      ? `${start}: the heavier half gets ${percent(-tilt)} less than its share, since a PG takes each failure domain ` +
        `once only; make buckets of one level weigh about the same, or let the balancer correct it ('ceph balancer on')`
      : `${start}; ${itemName(map, level.rows[level.statistics.fullest]?.id ?? 0) ?? 'one'} has most for its weight`;
  return [{ kind: 'hint', text }];
}

/** By how much the heavier half of the rows is above its share. */
function tiltOf({ rows }: ShareLevel): number {
  const sorted = rows.filter(({ expected }) => expected > 0).sort((a, b) => b.expected - a.expected);
  const half = sorted.slice(0, Math.floor(sorted.length / 2));
  const expected = half.reduce((sum, row) => sum + row.expected, 0);
  return expected === 0 ? 0 : half.reduce((sum, row) => sum + row.count, 0) / expected - 1;
}

/** A part of a whole in percent. */
export function share(part: number, whole: number): string {
  return percent(whole === 0 ? 0 : part / whole);
}

/** A ratio in percent, to three digits. */
export function percent(ratio: number): string {
  return `${Math.abs(ratio) < 1e-9 ? 0 : Number((ratio * 100).toPrecision(3))} %`;
}
