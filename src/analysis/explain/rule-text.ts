/** How a rule maps, as text for people: a line a draw, a line for each verdict that is not "taken". */
import type {
  Attempt,
  BucketDraw,
  ChooseTrace,
  LeafTrace,
  MsrBlockTrace,
  MsrStride,
  PlaceTrace,
  RuleTrace,
  StepTrace,
} from './trace.ts';
import {
  blockLines,
  blockTitle,
  foldedText,
  malformedText,
  nextText,
  placeTitle,
  ruleTitle,
  stepText,
  strideText,
  verdictText,
} from './rule-words.ts';
import { placesText, plural, setText } from './words.ts';
import { drawLine, drawTableLines } from './draw-text.ts';

/** Attempts of a place that are shown, unless everything is: the first ones, and the last. */
const SHOWN_FIRST = 3;

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
    const { rule, steps, malformed, result } = trace;
    if (rule.type === undefined) {
      this.add(0, 'without a rule, nothing is chosen');
      return;
    }
    this.add(0, ruleTitle(trace));
    this.#width = Math.min(40, widestDraw(trace));
    for (const step of steps) this.#step(step);
    if (malformed !== undefined) this.add(1, malformedText(malformed));
    this.add(1, `gives ${setText(result)}`);
  }

  #step(step: StepTrace): void {
    if (step.kind === 'msr-block') {
      this.#msrBlock(step);
      return;
    }
    const text = stepText(step);
    this.add(1, `step ${step.step}  ${step.text}${text === undefined ? '' : `: ${text}`}`);
    if (step.kind === 'choose') this.#choices(step);
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
    this.add(depth, `... ${foldedText(attempts, omitted)} ...`);
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
      if (this.#verbose) for (const line of drawTableLines(draw)) this.add(depth + 2, line);
    }
  }

  #msrBlock(block: MsrBlockTrace): void {
    this.add(1, blockTitle(block));
    for (const line of blockLines(block)) this.add(2, line);
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
