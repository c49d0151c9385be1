/**
 * Multi-step-retry rules: every step of a block is retried together, so that a device that is out can send the
 * mapping to another host. A step divides the places of its block into strides, each with items of its own; the next
 * step does the same within each stride. Follows `crush_msr_do_rule` (Ceph's src/crush/mapper.c, since Squid).
 */
import { ITEM_NONE, RULE_OP, RULE_TYPE } from '../../crush/model.ts';
import type { CrushBucket, CrushRule, CrushRuleStep } from '../../crush/model.ts';
import { findBucket } from '../../crush/names.ts';
import { ruleStepText } from '../../crush/rule-text.ts';
import { CrushError } from '../../errors.ts';
import { drawItem } from './draws.ts';
import { takeTrace, type RuleRun } from './rule.ts';
import type { BucketDraw, MsrBlockTrace, MsrDescent, MsrStride, MsrTry, StepTrace } from './trace.ts';
import type { Walk } from './walk.ts';

/** What an MSR rule gives, and how; `malformed` says why it gives nothing. */
export interface MsrRun extends RuleRun {
  readonly malformed?: string;
}

/** `take`, then choosemsr steps, then `emit`. */
interface Block {
  readonly take: CrushRuleStep;
  readonly first: number;
  readonly steps: readonly CrushRuleStep[];
}

/** Where devices go: in order of success (firstn) or at their own place (indep). */
interface Output {
  readonly firstn: boolean;
  readonly items: number[];
  count: number;
}

/** A place of a step that no item uses yet. */
const FREE = undefined;

/** Most places that a block's steps may ask for together. Ceph has no limit, and no room for very many. */
const MAX_WIDTH = 0x3fff_ffff;

/** Maps the walk's input by an MSR rule. */
export function runMsrRule(walk: Walk, rule: CrushRule, size: number): MsrRun {
  const { map } = walk;
  const text = (step: CrushRuleStep): string => ruleStepText(map, step);
  const steps: StepTrace[] = [];
  let tries = map.tunables.msrDescents >>> 0;
  let collisionTries = map.tunables.msrCollisionTries >>> 0;
  let at = 0;
  for (const [number, step] of rule.steps.entries()) {
    if (step.op === RULE_OP.setMsrDescents) tries = step.arg1 >>> 0;
    else if (step.op === RULE_OP.setMsrCollisionTries) collisionTries = step.arg1 >>> 0;
    else break;
    steps.push({ kind: 'set', step: number, text: text(step), applied: true });
    at = number + 1;
  }

  const output: Output = {
    firstn: rule.type === RULE_TYPE.msrFirstn,
    items: new Array<number>(size).fill(ITEM_NONE),
    count: 0,
  };
  let from = 0;
  while (at < rule.steps.length) {
    const block = blockAt(rule, at);
    if (typeof block === 'string') return { steps, malformed: block, result: [] };
    const place = { path: `rule ${rule.id}` };
    if (block.steps.length === 0) {
      throw invalid('this MSR rule has no choosemsr step between take and emit', walk.x, place);
    }
    if (block.take.arg1 >= 0) {
      return {
        steps,
        malformed: `step ${at} takes a device, which has nothing below it to choose`,
        result: [],
      };
    }
    const start = findBucket(map, block.take.arg1);
    if (start === undefined)
      throw invalid('this MSR rule takes a bucket that is not in the map', walk.x, place);
    const width = widthOf(walk, block, size, place);
    const run = new BlockRun(walk, block.steps, { size, collisionTries, path: place.path }, output);
    steps.push(run.trace(start, block, width, from, tries));
    from = Math.min(from + width, size);
    at += block.steps.length + 2;
  }
  return { steps, result: output.firstn ? output.items.slice(0, output.count) : output.items };
}

/** The block that begins at a step, or what is wrong with it. */
function blockAt(rule: CrushRule, at: number): Block | string {
  const [take, ...rest] = rule.steps.slice(at);
  const length = rest.findIndex((step) => step.op === RULE_OP.emit);
  if (take?.op !== RULE_OP.take) return `step ${at} should be a take`;
  if (length < 0) return `no emit follows the take of step ${at}`;
  const steps = rest.slice(0, length);
  const strange = steps.findIndex((step) => step.op !== RULE_OP.chooseMsr);
  if (strange >= 0) return `step ${at + 1 + strange} should be a choosemsr`;
  return { take, first: at, steps };
}

/** Items a choose step asks for; 0 means as many as the mapping has places. */
function countOf(step: CrushRuleStep, size: number): number {
  return step.arg1 === 0 ? size : step.arg1;
}

function widthOf(walk: Walk, block: Block, size: number, place: { readonly path: string }): number {
  let width = 1;
  for (const step of block.steps) {
    width *= countOf(step, size);
    if (step.arg1 < 0 || width > MAX_WIDTH) {
      throw invalid('this MSR rule asks for a negative or too large number of items', walk.x, place);
    }
  }
  return width;
}

function invalid(what: string, x: number, place: { readonly path: string }): CrushError {
  return new CrushError('invalid-rule', `${what}; Ceph's own mapper aborts on it, at input ${x}`, place);
}

/** Places of a bucket's strides, or of one of them: from the first to the one behind the last. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The descents of one block. */
class BlockRun {
  readonly #walk: Walk;
  readonly #steps: readonly CrushRuleStep[];
  readonly #limits: { readonly size: number; readonly collisionTries: number; readonly path: string };
  readonly #output: Output;
  /** Items in use, for each step a place each. */
  readonly #used: (number | undefined)[][];

  constructor(
    walk: Walk,
    steps: readonly CrushRuleStep[],
    limits: { readonly size: number; readonly collisionTries: number; readonly path: string },
    output: Output,
  ) {
    this.#walk = walk;
    this.#steps = steps;
    this.#limits = limits;
    this.#output = output;
    this.#used = steps.map(() => new Array<number | undefined>(limits.size).fill(FREE));
  }

  trace(start: CrushBucket, block: Block, width: number, from: number, tries: number): MsrBlockTrace {
    const { map } = this.#walk;
    const output = this.#output;
    const { size, collisionTries } = this.#limits;
    const to = Math.min(from + width, size);
    const begun = output.count;
    const descents: MsrDescent[] = [];
    let made = 0;
    for (; made < tries && output.count < begun + (to - from); made++) {
      const { strides, filled } = this.#choose(start, width, { from, to }, 0, made);
      if (filled > 0 || this.#walk.takeRoom()) descents.push({ descent: made, strides, filled });
    }
    const { item, shadow } = takeTrace(this.#walk, block.take, { step: block.first, text: '' });
    return {
      kind: 'msr-block',
      step: block.first,
      text: ruleStepText(map, block.take),
      item: item ?? this.#walk.item(start.id),
      ...(shadow === undefined ? {} : { shadow }),
      steps: block.steps.map((step) => ruleStepText(map, step)),
      width,
      from,
      to,
      tries,
      collisionTries,
      descents,
      made,
      result: output.firstn ? output.items.slice(begun, output.count) : output.items.slice(from, to),
    };
  }

  /** Fills places of a range that are still free. */
  #choose(
    bucket: CrushBucket,
    descendants: number,
    range: Range,
    depth: number,
    descent: number,
  ): { strides: MsrStride[]; filled: number } {
    this.#walk.spend(1);
    const step = this.#step(depth);
    const length = descendants / countOf(step, this.#limits.size);
    const strides: MsrStride[] = [];
    const unused: Range[] = [];
    for (let stride = 0, from = range.from; from < range.to; stride++, from += length) {
      const places = { from, to: Math.min(from + length, range.to) };
      if (this.#isFull(places)) continue;
      const traced = this.#stride(bucket, length, range, places, depth, descent, stride);
      if (traced.released) unused.push(places);
      strides.push(traced);
    }
    // What gave nothing stays in use until the descent is over.
    for (const places of unused) this.#forget(depth, places);
    return { strides, filled: strides.reduce((sum, { filled }) => sum + filled, 0) };
  }

  #stride(
    bucket: CrushBucket,
    length: number,
    range: Range,
    places: Range,
    depth: number,
    descent: number,
    stride: number,
  ): MsrStride {
    const step = this.#step(depth);
    const isLast = depth === this.#steps.length - 1;
    const { item, tries, omitted } = this.#draw(bucket, step.arg2, range, places, depth, descent, stride);
    const drawn = item === undefined ? {} : { item: this.#walk.item(item) };
    const traced = { depth, stride, ...places, tries, omitted, ...drawn, filled: 0, released: false };
    if (item === undefined) return { ...traced, outcome: 'collision' };
    if (step.arg2 === 0) {
      // Devices come last, one a stride; a rule that says otherwise fills nothing.
      if (length !== 1 || !isLast) return { ...traced, outcome: 'malformed' };
      const reweighing = this.#walk.reweigh(item);
      const judged = reweighing === undefined ? {} : { reweighing };
      if (reweighing?.isOut === true) return { ...traced, ...judged, outcome: 'out' };
      this.#usedOf(depth)[places.from] = item;
      this.#emit(places.from, item);
      return { ...traced, ...judged, outcome: 'chosen', filled: 1 };
    }
    if (isLast) return { ...traced, outcome: 'malformed' };
    if (item >= 0) {
      throw invalid(
        'this MSR rule comes to a device where it looks for a bucket',
        this.#walk.x,
        this.#limits,
      );
    }
    const { strides, filled } = this.#choose(this.#walk.bucket(item), length, places, depth + 1, descent);
    const isNew = this.#remember(depth, places, item);
    const released = isNew && filled === 0;
    return { ...traced, outcome: 'descended', below: strides, filled, released };
  }

  /** Draws until an item is found that no other stride uses. */
  #draw(
    bucket: CrushBucket,
    type: number,
    range: Range,
    places: Range,
    depth: number,
    descent: number,
    stride: number,
  ): { item: number | undefined; tries: MsrTry[]; omitted: number } {
    const { size, collisionTries } = this.#limits;
    const used = this.#usedOf(depth);
    const row = (Math.imul(descent, size) + stride) << 16;
    const tries: MsrTry[] = [];
    let omitted = 0;
    for (let attempt = 0; attempt < collisionTries; attempt++) {
      const draws = this.#descend(bucket, type, (row + attempt) | 0, stride);
      const drawn = draws.at(-1)?.item ?? this.#walk.item(bucket.id);
      const path = [...draws.map((draw) => draw.bucket.id), drawn.id];
      const holder = used.slice(range.from, range.to).indexOf(drawn.id);
      const place = range.from + holder;
      if (holder < 0 || (place >= places.from && place < places.to)) {
        tries.push({ draws, path, item: drawn });
        return { item: drawn.id, tries, omitted };
      }
      if (this.#walk.takeRoom()) tries.push({ draws, path, item: drawn, collision: place });
      else omitted++;
    }
    return { item: undefined, tries, omitted };
  }

  /** Down to the first item of a type, or to a device. */
  #descend(start: CrushBucket, type: number, r: number, position: number): BucketDraw[] {
    const draws: BucketDraw[] = [];
    let bucket = start;
    for (;;) {
      if (bucket.items.length === 0) {
        throw invalid('this MSR rule comes to an empty bucket', this.#walk.x, this.#limits);
      }
      const draw = drawItem(this.#walk, bucket, r, position);
      draws.push(draw);
      if (draw.item.id >= 0) return draws;
      bucket = this.#walk.bucket(draw.item.id);
      if (bucket.type === type) return draws;
    }
  }

  /** Whether every place of a range has its device. */
  #isFull({ from, to }: Range): boolean {
    return !this.#usedOf(this.#steps.length - 1)
      .slice(from, to)
      .includes(FREE);
  }

  /** Puts an item on the first free place of its stride; false if it is there already. */
  #remember(depth: number, { from, to }: Range, item: number): boolean {
    const used = this.#usedOf(depth);
    for (let place = from; place < to; place++) {
      if (used[place] === item) return false;
      if (used[place] === FREE) {
        used[place] = item;
        return true;
      }
    }
    return false;
  }

  /** Frees the stride's last place in use. */
  #forget(depth: number, { from, to }: Range): void {
    const used = this.#usedOf(depth);
    for (let place = to - 1; place >= from; place--) {
      if (used[place] === FREE) continue;
      used[place] = FREE;
      return;
    }
  }

  #emit(place: number, item: number): void {
    const output = this.#output;
    output.items[output.firstn ? output.count : place] = item;
    output.count++;
  }

  #step(depth: number): CrushRuleStep {
    return this.#steps[depth] ?? { op: RULE_OP.noop, arg1: 0, arg2: 0 };
  }

  #usedOf(depth: number): (number | undefined)[] {
    return this.#used[depth] ?? [];
  }
}
