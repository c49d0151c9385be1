/** How a rule maps, as text for people: a line a draw, a line for each verdict that is not "taken". */
import { ITEM_NONE } from '../crush/model.ts';
import type {
  Attempt,
  BucketDraw,
  ChooseTrace,
  LeafTrace,
  MsrBlockTrace,
  MsrStride,
  PlaceTrace,
  Reweighing,
  RuleTrace,
  ShadowTrace,
  StepTrace,
  TraceItem,
} from '../analysis/explain.ts';
import { drawLine, drawTable } from './explain-draw-text.ts';

/** Attempts of a place that are shown, unless everything is: the first ones, and the last. */
const SHOWN_FIRST = 3;

/** What became of attempts that are only counted. */
const FOLDED_WORDS = {
  chosen: 'chosen',
  collision: 'collided',
  out: 'out',
  'no-leaf': 'without a device',
  'empty-bucket': 'at an empty bucket',
  'no-device': 'given up',
  'wrong-type': 'given up',
} as const;

/** Writes explanations line by line. */
export class ExplainText {
  readonly lines: string[] = [];
  /** All attempts, and all draws of a bucket. */
  readonly #verbose: boolean;
  /** Width of `bucket > item`. */
  #width = 0;

  constructor(verbose: boolean) {
    this.#verbose = verbose;
  }

  /** Adds a line so many levels deep. */
  add(depth: number, text: string): void {
    this.lines.push(`${'  '.repeat(depth)}${text}`);
  }

  /** A rule's steps. */
  rule(trace: RuleTrace): void {
    const { rule, steps, x, size, chooseArgs, malformed, result } = trace;
    if (rule.type === undefined) {
      this.add(0, 'without a rule, nothing is chosen');
      return;
    }
    const args =
      chooseArgs === undefined ? '' : `, choose_args ${chooseArgs === -1 ? 'default' : chooseArgs}`;
    this.add(0, `rule ${rule.id} '${rule.name ?? ''}' (${rule.type}): x ${x}, at most ${size} items${args}`);
    this.#width = Math.min(40, widestDraw(trace));
    for (const step of steps) this.#step(step);
    if (malformed !== undefined)
      this.add(1, `maps to nothing, since no MSR rule is made like this: ${malformed}`);
    this.add(1, `gives ${setText(result)}`);
  }

  #step(step: StepTrace): void {
    const title = `step ${step.step}  ${step.text}`;
    switch (step.kind) {
      case 'take':
        if (step.item === undefined) this.add(1, `${title}: ignored, the map has no such item`);
        else this.add(1, `${title}: ${itemText(step.item)}${shadowText(step.shadow)}`);
        return;
      case 'set':
        this.add(1, `${title}${step.applied ? '' : ': ignored'}`);
        return;
      case 'noop':
        this.add(1, title);
        return;
      case 'emit': {
        const dropped = step.dropped === 0 ? '' : `; no room for ${step.dropped} more`;
        this.add(1, `${title}: ${setText(step.items)}${dropped}`);
        return;
      }
      case 'choose':
        this.add(1, `${title}: ${chooseText(step)}`);
        this.#choices(step);
        return;
      case 'msr-block':
        this.#msrBlock(step);
    }
  }

  #choices(step: ChooseTrace): void {
    for (const item of step.passedOver) this.add(2, `nothing below ${item.name}`);
    for (const { bucket, places } of step.choices) {
      if (step.choices.length > 1) this.add(2, `below ${bucket.name}`);
      const depth = step.choices.length > 1 ? 3 : 2;
      for (const place of places) {
        this.add(depth, placeTitle(place, step));
        this.#attempts(place, depth + 1, step.type, step.tries);
      }
    }
  }

  #attempts(place: PlaceTrace, depth: number, type: string, tries: number): void {
    const { attempts } = place;
    const hidden = this.#verbose ? 0 : Math.max(0, attempts.length - SHOWN_FIRST - 1);
    for (const [number, attempt] of attempts.entries()) {
      const isLast = number === attempts.length - 1;
      if (hidden > 0 && number === SHOWN_FIRST)
        this.#folded(attempts.slice(number, -1), place.omitted, depth);
      else if (isLast && place.omitted > 0) this.#folded([], place.omitted, depth);
      if (hidden === 0 || number < SHOWN_FIRST || isLast) this.#attempt(attempt, depth, type, tries);
    }
  }

  #folded(attempts: readonly Attempt[], omitted: number, depth: number): void {
    const counts = new Map<string, number>();
    for (const { verdict } of attempts) {
      const word = FOLDED_WORDS[verdict.code];
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    if (omitted > 0) counts.set('not recorded', omitted);
    const what = [...counts].map(([code, count]) => `${count} ${code}`).join(', ');
    this.add(depth, `... ${attempts.length + omitted} more that failed: ${what} ...`);
  }

  #attempt(attempt: Attempt, depth: number, type: string, tries: number): void {
    this.#draws(attempt.draws, depth);
    if (attempt.leaf !== undefined) this.#leaf(attempt.leaf, depth + 1);
    const verdict = verdictText(attempt, type);
    if (verdict !== undefined) this.add(depth, `${verdict}${nextText(attempt, tries)}`);
  }

  #leaf(leaf: LeafTrace, depth: number): void {
    if (this.#verbose) {
      const { bucket, replica, parentR, tries } = leaf;
      this.add(
        depth,
        `a device below ${bucket.name}: r ${replica} + ${parentR}, ${plural(tries, 'try', 'tries')}`,
      );
    }
    this.#attempts(leaf, depth, 'device', leaf.tries);
  }

  #draws(draws: readonly BucketDraw[], depth: number): void {
    for (const draw of draws) {
      this.add(depth, drawLine(draw, this.#width));
      if (this.#verbose) for (const line of drawTable(draw)) this.add(depth + 2, line);
    }
  }

  #msrBlock(block: MsrBlockTrace): void {
    const last = block.step + block.steps.length + 1;
    this.add(1, `steps ${block.step}-${last}  ${[block.text, ...block.steps, 'emit'].join('; ')}`);
    this.add(2, `from ${itemText(block.item)}${shadowText(block.shadow)}`);
    const tries = `${plural(block.tries, 'descent', 'descents')}, ${plural(block.collisionTries, 'collision try', 'collision tries')} each`;
    this.add(2, `${placesText(block.from, block.to)}; at most ${tries}`);
    let folded = 0;
    for (const { descent, strides, filled } of block.descents) {
      if (!this.#verbose && filled === 0 && descent >= SHOWN_FIRST) {
        folded++;
        continue;
      }
      this.add(2, `descent ${descent}: ${plural(filled, 'place', 'places')} filled`);
      for (const stride of strides) this.#stride(stride, 3);
    }
    const hidden = folded + block.made - block.descents.length;
    if (hidden > 0) this.add(2, `... ${plural(hidden, 'descent', 'descents')} more that filled nothing ...`);
    this.add(2, `gives ${setText(block.result)}`);
  }

  #stride(stride: MsrStride, depth: number): void {
    this.add(depth, `${placesText(stride.from, stride.to)}: ${strideText(stride)}`);
    const hidden = this.#verbose ? 0 : Math.max(0, stride.tries.length - SHOWN_FIRST - 1);
    for (const [number, { draws, item, collision }] of stride.tries.entries()) {
      const isLast = number === stride.tries.length - 1;
      if (hidden > 0 && number === SHOWN_FIRST) this.add(depth + 1, `... ${hidden} more collisions ...`);
      if (hidden > 0 && number >= SHOWN_FIRST && !isLast) continue;
      this.#draws(draws, depth + 1);
      if (collision !== undefined) {
        this.add(depth + 1, `collision: ${item.name} is in use at place ${collision}; again`);
      }
    }
    if (stride.omitted > 0) this.add(depth + 1, `... ${stride.omitted} more collisions, not recorded ...`);
    for (const below of stride.below ?? []) this.#stride(below, depth + 1);
  }
}

/** A set as text, a hole as `-`. */
export function setText(set: readonly number[]): string {
  return `[${set.map((item) => (item === ITEM_NONE ? '-' : String(item))).join(',')}]`;
}

/** A 16.16 number. */
export function fixedText(value: number): string {
  return (value / 0x10000).toFixed(5);
}

/** Why a device that is not fully in is taken, or is not. */
export function reweighingText(name: string, { reweight, hash, isOut }: Reweighing): string {
  if (hash === undefined) return `out: ${name} has reweight 0`;
  const compared = `hash ${hash} is ${isOut ? 'not ' : ''}below ${reweight}`;
  return `${isOut ? 'out' : 'in'}: ${name} has reweight ${fixedText(reweight)}, and ${compared}`;
}

function itemText({ id, name }: TraceItem): string {
  return `${name} (${id})`;
}

function shadowText(shadow: ShadowTrace | undefined): string {
  if (shadow === undefined) return '';
  return `, what ${shadow.of.name} has of class ${shadow.class}: ${shadow.devices} of its ${shadow.allDevices} devices`;
}

function placesText(from: number, to: number): string {
  return to - from === 1 ? `place ${from}` : `places ${from}-${to - 1}`;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function chooseText(step: ChooseTrace): string {
  const { wanted, choices, mode, tries, toLeaf, leafTries, localTries, fallbackTries, varyR, stable } = step;
  if (wanted <= 0) return 'none, the size leaves no place for any';
  if (choices.length === 0) return 'nothing to choose below';
  const below =
    choices.length > 1 ? ` below each of ${choices.length}` : ` below ${choices[0]?.bucket.name ?? ''}`;
  const parts = [`${wanted}${below}`, plural(tries, 'try', 'tries')];
  if (toLeaf) parts.push(`${plural(leafTries, 'try', 'tries')} for a device below`);
  if (mode === 'firstn') {
    if (localTries > 0) parts.push(plural(localTries, 'local retry', 'local retries'));
    if (fallbackTries > 0)
      parts.push(`${plural(fallbackTries, 'retry', 'retries')} before an exhaustive search`);
    if (toLeaf) parts.push(`vary_r ${varyR}`, stable ? 'stable' : 'not stable');
  }
  return parts.join(', ');
}

function placeTitle(
  { place, replica, item, device, failures, leftBehind }: PlaceTrace,
  step: ChooseTrace,
): string {
  const title = step.mode === 'firstn' ? `replica ${replica}, place ${place}` : `place ${place}`;
  const after = failures === 0 ? '' : ` after ${plural(failures, 'failure', 'failures')}`;
  if (item === undefined) {
    const left = leftBehind === undefined ? '' : `; ${leftBehind.name}, although out, is left there`;
    return `${title}: nothing${after}${left}`;
  }
  const with_ = device === undefined || device.id === item.id ? '' : ` with ${device.name}`;
  const id = item.id < 0 ? ` (${item.id})` : '';
  return `${title}: ${item.name}${id}${with_}${after}`;
}

/** A verdict in words; undefined for one that needs none. */
function verdictText({ verdict, item }: Attempt, type: string): string | undefined {
  const name = item?.name ?? '';
  switch (verdict.code) {
    case 'chosen':
      return verdict.reweighing === undefined ? undefined : reweighingText(name, verdict.reweighing);
    case 'collision':
      return `collision: ${name} is at place ${verdict.place} already`;
    case 'out':
      return reweighingText(name, verdict.reweighing);
    case 'no-leaf':
      return `rejected: no device was found below ${name}`;
    case 'empty-bucket':
      return `rejected: ${verdict.bucket.name} is empty`;
    case 'no-device':
      return `given up: ${name} is beyond the map's max_devices`;
    case 'wrong-type':
      return `given up: ${name} is a device, where a ${type} is wanted`;
  }
}

function nextText({ next, draws, verdict }: Attempt, tries: number): string {
  const bucket = verdict.code === 'empty-bucket' ? verdict.bucket.name : draws.at(-1)?.bucket.name;
  switch (next) {
    case 'local':
      return `; again from ${bucket ?? ''} (local retry)`;
    case 'exhaustive':
      return `; again from ${bucket ?? ''} (exhaustive search)`;
    case 'descent':
      return '; again from the top';
    case 'tries-used-up':
      return tries === 1 ? '; the only try is used up' : `; the ${tries} tries are used up`;
    default:
      return '';
  }
}

function strideText({ outcome, item, filled, reweighing, released }: MsrStride): string {
  const name = item?.name ?? '';
  switch (outcome) {
    case 'chosen':
      return reweighing === undefined ? name : `${name} (${reweighingText(name, reweighing)})`;
    case 'descended':
      return `${name}, ${filled} filled${released ? ', so it is free again' : ''}`;
    case 'out':
      return reweighing === undefined ? 'out' : `nothing, ${reweighingText(name, reweighing)}`;
    case 'collision':
      return 'nothing, the collision tries are used up';
    case 'malformed':
      return `nothing, no such step can end at ${name}`;
  }
}

/** Characters of the widest `bucket > item`. */
function widestDraw({ steps }: RuleTrace): number {
  let widest = 0;
  const see = (draws: readonly BucketDraw[]): void => {
    for (const { bucket, item } of draws)
      widest = Math.max(widest, bucket.name.length + item.name.length + 3);
  };
  const seePlaces = (places: readonly PlaceTrace[]): void => {
    for (const { draws, leaf } of places.flatMap(({ attempts }) => attempts)) {
      see(draws);
      if (leaf !== undefined) seePlaces([leaf]);
    }
  };
  const seeStrides = (strides: readonly MsrStride[]): void => {
    for (const { tries, below } of strides) {
      for (const { draws } of tries) see(draws);
      seeStrides(below ?? []);
    }
  };
  for (const step of steps) {
    if (step.kind === 'choose') for (const { places } of step.choices) seePlaces(places);
    if (step.kind === 'msr-block') for (const { strides } of step.descents) seeStrides(strides);
  }
  return widest;
}
