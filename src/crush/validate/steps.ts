/** Checks of rules step by step: what each does, and whether it comes to anything. */
import { RULE_OP, RULE_TYPE, type CrushRule, type CrushRuleStep } from '../model.ts';
import { ruleStepText, ruleTypeName } from '../rule-text.ts';
import type { MapIndex } from './index-of-map.ts';
import { itemText, type ProblemList } from './problems.ts';
import { isChoose, isMsr } from './rule-blocks.ts';

const KNOWN_OPS = new Set<number>(Object.values(RULE_OP));
const DELETE = 'delete the step in the text form';

/** Steps that set something, and the least number that has an effect. */
const SETTINGS: ReadonlyMap<number, { readonly least: number; readonly isMsr: boolean }> = new Map([
  [RULE_OP.setChooseTries, { least: 1, isMsr: false }],
  [RULE_OP.setChooseleafTries, { least: 1, isMsr: false }],
  [RULE_OP.setChooseLocalTries, { least: 0, isMsr: false }],
  [RULE_OP.setChooseLocalFallbackTries, { least: 0, isMsr: false }],
  [RULE_OP.setChooseleafVaryR, { least: 0, isMsr: false }],
  [RULE_OP.setChooseleafStable, { least: 0, isMsr: false }],
  [RULE_OP.setMsrDescents, { least: 1, isMsr: true }],
  [RULE_OP.setMsrCollisionTries, { least: 1, isMsr: true }],
]);

/** Checks the steps of every rule. */
export function checkSteps(index: MapIndex, problems: ProblemList): void {
  const { rules } = index.map;
  if (!rules.some((rule) => rule !== undefined)) {
    problems.add(
      'no-rules',
      {},
      'the map has no rules, so no pool can be mapped',
      "'ceph osd crush rule create-replicated NAME ROOT host'",
    );
  }
  for (const [id, rule] of rules.entries()) {
    if (rule === undefined) continue;
    checkRule(id, rule, problems);
    new StepCheck(index, id, rule, problems).run();
  }
}

function checkRule(id: number, rule: CrushRule, problems: ProblemList): void {
  const place = { rule: id };
  if (rule.id !== id) {
    problems.add(
      'rule-index',
      place,
      `the rule calls itself ${rule.id}`,
      `write 'id ${id}' in the text form`,
    );
  }
  if (!(rule.type >= 0 && rule.type <= RULE_TYPE.msrIndep)) {
    problems.add(
      'rule-type',
      place,
      `rule type ${rule.type} is unknown`,
      "write 'type replicated' or 'type erasure' in the text form",
    );
  }
  if (rule.ruleset !== id) {
    problems.add(
      'rule-mask',
      place,
      `its ruleset is ${rule.ruleset}; releases up to 16 find the rules of pools by ruleset, newer ones by number`,
      `write 'id ${id}' in place of 'ruleset ${rule.ruleset}' in the text form, and set pools' crush_rule anew`,
    );
  }
  if (rule.minSize > rule.maxSize) {
    problems.add(
      'rule-mask',
      place,
      `min_size ${rule.minSize} is above max_size ${rule.maxSize}, so releases up to 16 give it to no pool`,
      'correct them in the text form',
    );
  }
}

/** Runs through a rule as the mapper does, with what is taken or chosen and not yet emitted. */
class StepCheck {
  readonly #index: MapIndex;
  readonly #id: number;
  readonly #rule: CrushRule;
  readonly #problems: ProblemList;
  /** The step of the last take that nothing was chosen from yet. */
  #taken: number | undefined;
  /** The step of the last choice that is not emitted yet. */
  #chosen: number | undefined;
  /** Whether what is chosen are devices. */
  #hasDevices = false;
  #emits = 0;

  constructor(index: MapIndex, id: number, rule: CrushRule, problems: ProblemList) {
    this.#index = index;
    this.#id = id;
    this.#rule = rule;
    this.#problems = problems;
  }

  run(): void {
    const { steps } = this.#rule;
    const lastChoose = steps.findLastIndex(({ op }) => isChoose(op));
    for (const [number, step] of steps.entries()) {
      const { op } = step;
      const place = { rule: this.#id, step: number };
      const setting = SETTINGS.get(op);
      if (!KNOWN_OPS.has(op)) {
        this.#problems.add('unknown-step', place, `operation ${op} is unknown`, DELETE);
      } else if (op === RULE_OP.take) this.#take(number, step);
      else if (op === RULE_OP.emit) this.#emit(number);
      else if (isChoose(op)) this.#choose(number, step);
      else if (setting === undefined) {
        this.#problems.add('idle-step', place, 'the step does nothing', DELETE);
      } else {
        const why =
          setting.isMsr !== isMsr(this.#rule)
            ? `${ruleTypeName(this.#rule)} rules do not heed it`
            : step.arg1 < setting.least
              ? `mappers pass over a value of ${step.arg1}`
              : number > lastChoose
                ? 'nothing is chosen after it'
                : undefined;
        if (why === undefined) continue;
        const text = `'${ruleStepText(this.#index.map, step)}' does nothing: ${why}`;
        this.#problems.add('idle-step', place, text, DELETE);
      }
    }
    this.#dropOpen();
    if (this.#emits === 0) {
      this.#problems.add(
        'no-emit',
        { rule: this.#id },
        'the rule emits nothing, so PGs map to no OSDs',
        "end it with 'step emit' in the text form",
      );
    }
  }

  #take(step: number, { arg1 }: CrushRuleStep): void {
    const { map } = this.#index;
    const place = { rule: this.#id, step, item: arg1 };
    const bucket = this.#index.bucket(arg1);
    const isDevice = arg1 >= 0 && arg1 < map.maxDevices;
    if (bucket === undefined && !isDevice) {
      this.#problems.add(
        'take-missing',
        place,
        `the rule takes ${itemText(map, arg1)}, which is not in the map`,
        "take a bucket that is there: 'ceph osd crush tree' lists them",
      );
      return;
    }
    this.#dropOpen();
    this.#taken = step;
    this.#hasDevices = isDevice;
    if (bucket === undefined || this.#index.liveDevices(bucket.id) > 0) return;
    const shadow = this.#index.shadowOf.get(arg1);
    if (shadow === undefined) {
      this.#problems.add(
        'empty-take',
        place,
        `there is no OSD that can be chosen below ${itemText(map, arg1)}`,
        'take another bucket, or add OSDs with weight to this one',
      );
    } else {
      const className = map.classNames.get(shadow.classId) ?? String(shadow.classId);
      this.#problems.add(
        'empty-class-tree',
        { ...place, class: shadow.classId },
        `there is no OSD of class ${className} that can be chosen below ${itemText(map, shadow.original)}`,
        `give OSDs the class ('ceph osd crush set-device-class ${className} osd.N'), or take another class`,
      );
    }
  }

  #choose(step: number, { op, arg2 }: CrushRuleStep): void {
    const place = { rule: this.#id, step };
    if ((op === RULE_OP.chooseMsr) !== isMsr(this.#rule)) {
      this.#problems.add(
        'wrong-mode-step',
        place,
        op === RULE_OP.chooseMsr
          ? 'only rules of the MSR types heed choosemsr'
          : 'rules of the MSR types choose with choosemsr only',
        "change the rule's type or the step in the text form",
      );
      return;
    }
    this.#checkMode(step, op);
    if (this.#taken === undefined && this.#chosen === undefined) {
      this.#problems.add(
        'choose-without-take',
        place,
        'nothing is taken before, so nothing is chosen',
        "put a 'step take' before it in the text form",
      );
      return;
    }
    if (this.#hasDevices) {
      this.#problems.add(
        'choose-below-device',
        place,
        'what was taken or chosen before are OSDs; there is nothing below them to choose',
        DELETE,
      );
    }
    this.#taken = undefined;
    this.#chosen = step;
    this.#hasDevices = arg2 === 0 || op === RULE_OP.chooseleafFirstn || op === RULE_OP.chooseleafIndep;
  }

  #checkMode(step: number, op: number): void {
    const isIndep = op === RULE_OP.chooseIndep || op === RULE_OP.chooseleafIndep;
    const { type } = this.#rule;
    if (op === RULE_OP.chooseMsr || (type === RULE_TYPE.erasure) === isIndep) return;
    if (type !== RULE_TYPE.erasure && type !== RULE_TYPE.replicated) return;
    this.#problems.add(
      'mode-mismatch',
      { rule: this.#id, step },
      isIndep
        ? 'a replicated rule that chooses indep leaves holes where firstn would move the next copy up'
        : 'an erasure rule that chooses firstn moves shards to other positions when an OSD goes out',
      `write ${isIndep ? 'firstn' : 'indep'} in the text form (moves data)`,
    );
  }

  #emit(step: number): void {
    const place = { rule: this.#id, step };
    if (this.#taken === undefined && this.#chosen === undefined) {
      this.#problems.add(
        'emit-without-take',
        place,
        'nothing is taken before, so nothing is emitted',
        DELETE,
      );
      this.#emits++;
      return;
    }
    if (isMsr(this.#rule) && this.#chosen === undefined) {
      this.#problems.add(
        'msr-without-choose',
        place,
        "there is no choosemsr step between take and emit; Ceph's mapper aborts on it",
        "put 'step choosemsr 0 type osd' before it in the text form",
      );
    } else if (!this.#hasDevices) {
      this.#problems.add(
        'emits-buckets',
        place,
        'it emits buckets, not OSDs, and pools can do nothing with them',
        "end the choice with 'chooseleaf', or go on with 'step choose ... 0 type osd' in the text form",
      );
    }
    this.#emits++;
    this.#taken = undefined;
    this.#chosen = undefined;
  }

  /** Says what is lost when a take or the end of the rule comes before an emit. */
  #dropOpen(): void {
    if (this.#chosen !== undefined) {
      this.#problems.add(
        'lost-choice',
        { rule: this.#id, step: this.#chosen },
        'what the step chooses is never emitted',
        "put a 'step emit' after it in the text form",
      );
    } else if (this.#taken !== undefined) {
      this.#problems.add(
        'unused-take',
        { rule: this.#id, step: this.#taken },
        'nothing is chosen from what the step takes',
        DELETE,
      );
    }
    this.#taken = undefined;
    this.#chosen = undefined;
  }
}
