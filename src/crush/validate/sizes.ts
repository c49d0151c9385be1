/** Checks of what rules give: enough OSDs for each size, in shares that weights ask for, within the tries there are. */
import { ITEM_NONE, RULE_TYPE, type CrushRule } from '../model.ts';
import { ruleTypeName } from '../rule-text.ts';
import type { Capacity, Domains } from './capacity.ts';
import type { MapIndex } from './index-of-map.ts';
import { counted, itemText, someOf, type ProblemList, type ProblemPlace } from './problems.ts';
import { choiceCount, isMsr, ruleBlocks, type RuleBlock, type RuleChoice } from './rule-blocks.ts';

/** A pool, as far as the checks of rules go. */
export interface RulePool {
  /** Id of the pool. */
  readonly id: number;
  /** Its name, for messages. */
  readonly name?: string;
  /** Number of its rule; -1 where it has none. */
  readonly rule: number;
  /** OSDs a PG. */
  readonly size: number;
  /** OSDs a PG needs to serve. */
  readonly minSize?: number;
  /** 1 replicated, 3 erasure. */
  readonly type?: number;
}

/** Sizes that rules are tried with where no pools are known. */
const USUAL_REPLICAS = 3;
const LEAST_SIZE = { replicated: 2, erasure: 3 } as const;
/** Tries that Ceph gives rules of erasure-coded pools when it makes them. */
const ERASURE_TRIES = 100;
const ERASURE_LEAF_TRIES = 5;
/** Tries of the tunables that every map since 2016 has. */
const USUAL_TRIES = 50;
/** With this many times as many domains as are wanted, hardly a draw is in vain. */
const ROOMY = 1.5;
/** Domains that leave room for erasure-coded pools of usual sizes. */
const ROOMY_DOMAINS = 12;
/** A domain may weigh so much more than the greatest share it can get before it is told. */
const HEAVY = 1.1;

/** Checks every rule for the sizes of its pools, or for usual sizes where no pools are known. */
export function checkSizes(
  index: MapIndex,
  capacity: Capacity,
  pools: readonly RulePool[] | undefined,
  problems: ProblemList,
): void {
  for (const pool of pools ?? []) checkPool(index, pool, problems);
  for (const [id, rule] of index.map.rules.entries()) {
    if (rule === undefined) continue;
    const blocks = ruleBlocks(rule, index.map.tunables);
    // Where nothing can be chosen the check of steps has said why.
    if (!blocks.some(({ choices }) => choices.length > 0)) continue;
    const check = new SizeCheck(index, capacity, id, rule, blocks, problems);
    check.checkDomains();
    const bySize = new Map<number, RulePool>();
    for (const pool of pools ?? []) {
      const known = bySize.get(pool.size);
      // Of pools of one size the most demanding stands for all.
      if (pool.rule === id && (known?.minSize ?? 0) <= (pool.minSize ?? 0)) bySize.set(pool.size, pool);
    }
    for (const [size, pool] of bySize) check.checkSize(size, pool);
    if (pools === undefined) check.checkUsual();
  }
}

function checkPool({ map }: MapIndex, pool: RulePool, problems: ProblemList): void {
  const title = `pool ${pool.id}${pool.name === undefined ? '' : ` '${pool.name}'`}`;
  const rule = map.rules[pool.rule];
  if (rule === undefined) {
    problems.add(
      'pool-without-rule',
      { pool: pool.id },
      `${title} has no rule (${pool.rule}), so its PGs map to nothing`,
      `'ceph osd pool set ${pool.name ?? 'POOL'} crush_rule NAME'`,
    );
    return;
  }
  const isErasure = rule.type === RULE_TYPE.erasure || rule.type === RULE_TYPE.msrIndep;
  if (pool.type === undefined || (pool.type === RULE_TYPE.erasure) === isErasure) return;
  problems.add(
    'pool-rule-type',
    { pool: pool.id, rule: pool.rule },
    `${title} is ${isErasure ? 'replicated' : 'erasure-coded'}, its rule is of type ${ruleTypeName(rule)}`,
    `give the pool a rule of its type: 'ceph osd pool set ${pool.name ?? 'POOL'} crush_rule NAME'`,
  );
}

class SizeCheck {
  readonly #index: MapIndex;
  readonly #capacity: Capacity;
  readonly #id: number;
  readonly #rule: CrushRule;
  readonly #blocks: readonly RuleBlock[];
  readonly #problems: ProblemList;
  /** Whether a step finds nothing at all to choose; more of that rule is not worth telling. */
  #isBarren = false;

  constructor(
    index: MapIndex,
    capacity: Capacity,
    id: number,
    rule: CrushRule,
    blocks: readonly RuleBlock[],
    problems: ProblemList,
  ) {
    this.#index = index;
    this.#capacity = capacity;
    this.#id = id;
    this.#rule = rule;
    this.#blocks = blocks;
    this.#problems = problems;
  }

  /** Steps that find nothing of their type, or devices on the way. */
  checkDomains(): void {
    for (const block of this.#blocks) {
      if (this.#index.liveDevices(block.take) === 0) {
        this.#isBarren ||= block.take < 0;
        continue;
      }
      let level: readonly number[] = [block.take];
      for (const choice of block.choices.slice(0, 3)) {
        const found = level.map((id) => this.#capacity.domains(id, choice.type));
        const next = [...new Set(found.flatMap(({ ids }) => ids))];
        const place = { rule: this.#id, step: choice.step, type: choice.type };
        if (next.length === 0) {
          this.#isBarren = true;
          this.#problems.add(
            'no-such-domain',
            place,
            `there is no ${this.#typeName(choice.type)} with OSDs below ${this.#names(level)}`,
            'choose a type that is there, or build that level: ' +
              "'ceph osd crush add-bucket NAME TYPE', then 'ceph osd crush move'",
          );
          break;
        }
        const [stray, ...others] = found.flatMap(({ strays }) => strays);
        if (stray !== undefined) {
          const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
          this.#problems.add(
            'device-above-domain',
            { ...place, bucket: stray.bucket, item: stray.item },
            `the device${more} is in no ${this.#typeName(choice.type)}, so draws that come to it fail ` +
              `and PGs get fewer OSDs`,
            `move it into one: 'ceph osd crush set ${itemText(this.#index.map, stray.item)} WEIGHT ` +
              `${this.#typeName(choice.type)}=NAME'`,
          );
        }
        if (choice.toLeaf || choice.type === 0) break;
        level = next;
      }
    }
  }

  /** Checks a size that no pool asks for. */
  checkUsual(): void {
    if (this.#isBarren) return;
    const { minSize, maxSize, type } = this.#rule;
    const isErasure = type === RULE_TYPE.erasure || type === RULE_TYPE.msrIndep;
    const least = isErasure ? LEAST_SIZE.erasure : LEAST_SIZE.replicated;
    // The masks of new rules say 1 to 100, which means any size.
    const size = minSize > 1 && minSize <= maxSize ? Math.max(minSize, least) : least;
    const { best } = this.#yield(size);
    if (best < size) this.#tellShort('too-few-osds', { rule: this.#id }, size, best, undefined);
    else if (!isErasure && size <= LEAST_SIZE.replicated && this.#yield(USUAL_REPLICAS).best === size) {
      this.#problems.add(
        'two-osds-only',
        { rule: this.#id },
        `the rule gives 2 OSDs at most (${this.#supply(USUAL_REPLICAS)}), pools have 3 copies by default`,
        'use it for pools of size 2 only, or add failure domains',
      );
    }
    if (!isErasure && best >= size) this.#checkShares(Math.max(size, USUAL_REPLICAS), { rule: this.#id });
    this.#checkTries(undefined);
  }

  /** Checks the size of a pool. */
  checkSize(size: number, pool: RulePool): void {
    if (this.#isBarren) return;
    const place = { rule: this.#id, pool: pool.id };
    const { best, worst } = this.#yield(size);
    if (best < size) {
      const code = best < (pool.minSize ?? 0) ? 'below-min-size' : 'too-few-osds';
      this.#tellShort(code, place, size, best, pool);
    } else if (worst < size) {
      this.#problems.add(
        'too-few-osds-at-times',
        place,
        `PGs get as few as ${worst} of ${size} OSDs where choices fall on the smallest buckets ` +
          `(${this.#supply(size)})`,
        'give every bucket that the first step chooses enough below it, or choose fewer in it',
      );
    } else {
      this.#checkSpare(size, place);
      this.#checkShares(size, place);
    }
    this.#checkTries(size);
  }

  #yield(size: number): { best: number; worst: number } {
    let best = 0;
    let worst = 0;
    for (const block of this.#blocks) {
      const each = this.#capacity.yieldOf(block, size);
      best += each.best;
      worst += each.worst;
    }
    return { best: Math.min(best, size), worst: Math.min(worst, size) };
  }

  #tellShort(
    code: 'too-few-osds' | 'below-min-size',
    place: ProblemPlace,
    size: number,
    best: number,
    pool: RulePool | undefined,
  ): void {
    const serves =
      code === 'below-min-size' ? `, fewer than its min_size of ${pool?.minSize}: it is inactive` : '';
    const isFixed = this.#blocks.every(({ choices }) => choices.every(({ count }) => count > 0));
    const name = pool?.name ?? 'POOL';
    this.#problems.add(
      code,
      place,
      `the rule gives ${best} of ${size} OSDs at most (${this.#supply(size)})${serves}`,
      isFixed
        ? 'let the last step choose more, such as 0 for as many as the pool has'
        : `add failure domains, choose a smaller kind of them ('host' or 'osd'), ` +
            `or 'ceph osd pool set ${name} size ${Math.max(1, best)}' for replicated pools`,
    );
  }

  /** What each step has to choose from, in words. */
  #supply(size: number): string {
    const parts = this.#blocks.flatMap((block) => {
      const [first, ...rest] = block.choices;
      if (first === undefined) return [];
      const found = this.#capacity.domains(block.take, first.type).ids.length;
      const below = `${counted(found, this.#typeName(first.type))} below ${this.#names([block.take])}`;
      const then = rest.map(
        (choice) => `${counted(choiceCount(choice, size), this.#typeName(choice.type))} in each`,
      );
      return [[`${choiceCount(first, size)} of ${below}`, ...then].join(', ')];
    });
    return someOf(parts);
  }

  /** A block that has to take every domain there is cannot do without any. */
  #checkSpare(size: number, place: ProblemPlace): void {
    for (const [first, domains] of this.#firstChoices()) {
      const wanted = choiceCount(first, size);
      if (wanted < 2 || domains.ids.length !== wanted) continue;
      this.#problems.add(
        'no-spare-domain',
        { ...place, step: first.step, type: first.type },
        `every PG needs all ${counted(wanted, this.#typeName(first.type))} there are; ` +
          `while one is down nothing can take over, and all get the same share whatever they weigh`,
        `add one more ${this.#typeName(first.type)}`,
      );
    }
  }

  /** A domain gets one of the OSDs of a PG at most, so its share ends at one in that many. */
  #checkShares(size: number, place: ProblemPlace): void {
    for (const [first, { ids, weights }] of this.#firstChoices()) {
      const wanted = Math.min(choiceCount(first, size), ids.length);
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      if (wanted < 2) continue;
      const heavy = ids.filter((_, i) => ((weights[i] ?? 0) / total) * wanted > HEAVY);
      const [heaviest] = heavy.sort(
        (a, b) => (weights[ids.indexOf(b)] ?? 0) - (weights[ids.indexOf(a)] ?? 0),
      );
      if (heaviest === undefined) continue;
      const share = (weights[ids.indexOf(heaviest)] ?? 0) / total;
      const others = heavy.length === 1 ? '' : ` (and ${heavy.length - 1} more)`;
      this.#problems.add(
        'heavy-domain',
        { ...place, step: first.step, item: heaviest },
        `it has ${percent(share)} of the weight${others}, but of ${wanted} OSDs on different ` +
          `${this.#typeName(first.type)}s it can get one, ${percent(1 / wanted)}; the others fill up first`,
        `move OSDs from it to others, or add another ${this.#typeName(first.type)} as heavy`,
      );
    }
  }

  #checkTries(size: number | undefined): void {
    if (isMsr(this.#rule)) return;
    for (const block of this.#blocks) {
      for (const choice of block.choices) {
        const place = { rule: this.#id, step: choice.step };
        const first = choice === block.choices[0];
        const found = first ? this.#capacity.domains(block.take, choice.type).ids.length : ITEM_NONE;
        const most = size === undefined ? ROOMY_DOMAINS : Math.ceil(choiceCount(choice, size) * ROOMY);
        const missing: string[] = [];
        const wantedTries = choice.isIndep ? ERASURE_TRIES : USUAL_TRIES;
        const isSet = choice.tries !== this.#index.map.tunables.chooseTotalTries + 1;
        if (choice.tries < wantedTries && (choice.isIndep || isSet)) {
          missing.push(`set_choose_tries ${wantedTries}`);
        }
        if (choice.isIndep && choice.toLeaf && choice.type !== 0 && choice.leafTries < ERASURE_LEAF_TRIES) {
          missing.push(`set_chooseleaf_tries ${ERASURE_LEAF_TRIES}`);
        }
        if (missing.length === 0) continue;
        const isTight = found < most || choice.tries < Math.min(wantedTries, USUAL_TRIES);
        const below =
          missing.at(-1)?.includes('leaf') === true ? ` and ${choice.leafTries} below each item` : '';
        this.#problems.add(
          isTight ? 'few-tries' : 'default-tries',
          place,
          `it tries ${choice.tries} times${below}` +
            (isTight
              ? '; where there is little to choose from, PGs come to have holes'
              : '; there is enough to choose from, but the rules that Ceph makes for erasure-coded pools have more'),
          `put ${missing.map((step) => `'step ${step}'`).join(' and ')} before the take in the text form`,
        );
      }
    }
  }

  /** First choices of the blocks, with what there is to choose from. */
  #firstChoices(): (readonly [RuleChoice, Domains])[] {
    return this.#blocks.flatMap((block) => {
      const [first] = block.choices;
      return first === undefined ? [] : [[first, this.#capacity.domains(block.take, first.type)] as const];
    });
  }

  #typeName(type: number): string {
    return this.#index.map.typeNames.get(type) ?? (type === 0 ? 'osd' : `type ${type}`);
  }

  /** Buckets in words; shadows by what they stand for. */
  #names(ids: readonly number[]): string {
    const { map, shadowOf } = this.#index;
    return someOf(
      ids.map((id) => {
        const shadow = shadowOf.get(id);
        if (shadow === undefined) return itemText(map, id);
        return `${itemText(map, shadow.original)} (class ${map.classNames.get(shadow.classId) ?? shadow.classId})`;
      }),
    );
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
