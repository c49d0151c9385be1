/**
 * Multi-step-retry rules: every step of a block is retried together, so that a device that is out can send the
 * mapping to another host (Ceph's crush_msr_do_rule in src/crush/mapper.c, since Squid).
 */
import { CrushError } from '../../src/errors.ts';
import { ITEM_NONE, RULE_OP, RULE_TYPE } from '../../src/crush/model.ts';
import type { CrushBucket, CrushRule, CrushRuleStep } from '../../src/crush/model.ts';
import { ITEM_UNDECIDED, bucketOf, draw, isOut } from './walk.ts';
import type { Walk } from './walk.ts';

/** `take`, then choose steps, then `emit`. */
interface Block {
  readonly take: number;
  readonly steps: readonly CrushRuleStep[];
}

/** A rule split into what its leading steps set and its blocks. */
interface Plan {
  readonly descents: number;
  readonly collisionTries: number;
  /** Blocks before the first malformed one. */
  readonly blocks: readonly Block[];
  readonly wellFormed: boolean;
}

/** Where mapped devices go: in order of success (firstn) or at their own place (indep). */
interface Output {
  readonly firstn: boolean;
  readonly items: number[];
  count: number;
}

/** Devices for `size` places; a rule that is not of the form MSR demands gives none. */
export function runMsrRule(walk: Walk, rule: CrushRule, size: number): number[] {
  const plan = planOf(walk, rule);
  const output: Output = {
    firstn: rule.type === RULE_TYPE.msrFirstn,
    items: new Array<number>(size).fill(ITEM_NONE),
    count: 0,
  };
  let first = 0;
  for (const block of plan.blocks) {
    if (block.steps.length === 0) {
      throw invalid(rule, 'takes and emits with nothing between');
    }
    // A device has nothing below it to choose from.
    if (block.take >= 0) return [];
    const start = walk.map.buckets[-1 - block.take];
    if (start === undefined) throw invalid(rule, `takes bucket ${block.take}, which is not there`);
    const width = widthOf(rule, block, size);
    const run: BlockRun = {
      walk,
      size,
      collisionTries: plan.collisionTries,
      steps: block.steps,
      used: block.steps.map(() => new Array<number>(size).fill(ITEM_UNDECIDED)),
      output,
    };
    const end = Math.min(first + width, size);
    const full = output.count + (end - first);
    for (let descent = 0; descent < plan.descents && output.count < full; descent++) {
      chooseStrides(run, start, width, first, end, 0, descent);
    }
    first = end;
  }
  if (!plan.wellFormed) return [];
  return output.firstn ? output.items.slice(0, output.count) : output.items;
}

function planOf(walk: Walk, rule: CrushRule): Plan {
  let descents = walk.map.tunables.msrDescents;
  let collisionTries = walk.map.tunables.msrCollisionTries;
  let at = 0;
  for (; at < rule.steps.length; at++) {
    const { op, arg1 } = rule.steps[at]!;
    if (op === RULE_OP.setMsrDescents) descents = arg1 >>> 0;
    else if (op === RULE_OP.setMsrCollisionTries) collisionTries = arg1 >>> 0;
    else break;
  }
  const blocks: Block[] = [];
  while (at < rule.steps.length) {
    const rest = rule.steps.slice(at);
    const emit = rest.findIndex((step) => step.op === RULE_OP.emit);
    const inner = rest.slice(1, emit);
    const wellFormed =
      rest[0]!.op === RULE_OP.take && emit > 0 && inner.every((step) => step.op === RULE_OP.chooseMsr);
    if (!wellFormed) return { descents, collisionTries, blocks, wellFormed };
    blocks.push({ take: rest[0]!.arg1, steps: inner });
    at += emit + 1;
  }
  return { descents, collisionTries, blocks, wellFormed: true };
}

/** Items a choose step asks for; 0 means as many as the mapping has places. */
function countOf(step: CrushRuleStep, size: number): number {
  return step.arg1 === 0 ? size : step.arg1;
}

/** Places that a block's steps ask for together. Ceph has no limit and no room on its stack for very many. */
function widthOf(rule: CrushRule, block: Block, size: number): number {
  let width = 1;
  for (const step of block.steps) {
    width *= countOf(step, size);
    if (step.arg1 < 0 || width > 0x3fff_ffff)
      throw invalid(rule, 'asks for a number of items that cannot be');
  }
  return width;
}

function invalid(rule: CrushRule, what: string): CrushError {
  return new CrushError('invalid-rule', `rule ${rule.id} ${what}`);
}

/** What stays the same over the descents of one block. */
interface BlockRun {
  readonly walk: Walk;
  readonly size: number;
  readonly collisionTries: number;
  readonly steps: readonly CrushRuleStep[];
  /** Items in use, a vector of places for each step. */
  readonly used: number[][];
  readonly output: Output;
}

/**
 * Fills the places of `[start, end)` that are still free. The step divides the places into strides, each with
 * items of its own; the next step does the same within a stride. Returns how many places were filled.
 */
function chooseStrides(
  run: BlockRun,
  bucket: CrushBucket,
  descendants: number,
  start: number,
  end: number,
  depth: number,
  descent: number,
): number {
  const step = run.steps[depth]!;
  const used = run.used[depth]!;
  const isLast = depth === run.steps.length - 1;
  const length = descendants / countOf(step, run.size);
  const unused: { from: number; to: number }[] = [];
  let filled = 0;
  for (let stride = 0, from = start; from < end; stride++, from += length) {
    const to = Math.min(from + length, end);
    const leaves = run.used[run.steps.length - 1]!;
    if (!leaves.slice(from, to).includes(ITEM_UNDECIDED)) continue;

    const item = drawUnused(run, bucket, step.arg2, descent, stride, used, { start, end, from, to });
    if (item === undefined) continue;
    if (step.arg2 === 0) {
      // Devices come last, one a stride; a rule that says otherwise fills nothing.
      if (length !== 1 || !isLast || isOut(run.walk, item)) continue;
      used[from] = item;
      emit(run.output, from, item);
      filled++;
    } else if (!isLast) {
      if (item >= 0) {
        throw new CrushError('invalid-rule', `an MSR step wants type ${step.arg2} and meets device ${item}`);
      }
      const below = bucketOf(run.walk, item);
      const filledBelow = chooseStrides(run, below, length, from, to, depth + 1, descent);
      const isNew = remember(used, from, to, item);
      // The bucket stays in use until this pass is over, even if it gave nothing.
      if (isNew && filledBelow === 0) unused.push({ from, to });
      else filled += filledBelow;
    }
  }
  for (const { from, to } of unused) forgetLast(used, from, to);
  return filled;
}

/** An item that no other stride uses, or undefined once the collision tries are spent. */
function drawUnused(
  run: BlockRun,
  bucket: CrushBucket,
  type: number,
  descent: number,
  stride: number,
  used: readonly number[],
  range: { start: number; end: number; from: number; to: number },
): number | undefined {
  const row = (Math.imul(descent, run.size) + stride) << 16;
  for (let attempt = 0; attempt < run.collisionTries; attempt++) {
    const item = descend(run.walk, bucket, type, (row + attempt) | 0, stride);
    const holder = used.slice(range.start, range.end).indexOf(item);
    const place = range.start + holder;
    if (holder < 0 || (place >= range.from && place < range.to)) return item;
  }
  return undefined;
}

/** Down to the first item of `type`, or to a device. */
function descend(walk: Walk, start: CrushBucket, type: number, r: number, position: number): number {
  let bucket = start;
  for (;;) {
    if (bucket.items.length === 0) {
      throw new CrushError('invalid-rule', `an MSR rule leads to the empty bucket ${bucket.id}`);
    }
    const item = draw(walk, bucket, r, position);
    if (item >= 0) return item;
    bucket = bucketOf(walk, item);
    if (bucket.type === type) return item;
  }
}

/** Puts `item` on the stride's first free place; false if it is there already. */
function remember(used: number[], from: number, to: number, item: number): boolean {
  for (let place = from; place < to; place++) {
    if (used[place] === item) return false;
    if (used[place] === ITEM_UNDECIDED) {
      used[place] = item;
      return true;
    }
  }
  throw new CrushError('invalid-rule', 'a stride of an MSR rule holds more items than places');
}

/** Frees the stride's last place in use. */
function forgetLast(used: number[], from: number, to: number): void {
  for (let place = to - 1; place >= from; place--) {
    if (used[place] === ITEM_UNDECIDED) continue;
    used[place] = ITEM_UNDECIDED;
    return;
  }
}

function emit(output: Output, place: number, item: number): void {
  output.items[output.firstn ? output.count : place] = item;
  output.count++;
}
