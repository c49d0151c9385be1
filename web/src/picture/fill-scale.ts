/** How full OSDs are against their weights, in five steps with a colour and words each. */

/** A step of the scale. */
export interface FillStep {
  /** Token of the page's diverging scale. */
  readonly token: string;
  readonly words: string;
  /** Shards over expected shards, less one: where the step ends. */
  readonly below: number;
}

/** From too little to too much. */
export const FILL_STEPS: readonly FillStep[] = [
  { token: '--under-2', words: 'more than 25 % below its share', below: -0.25 },
  { token: '--under-1', words: '10 to 25 % below', below: -0.1 },
  { token: '--even', words: 'within 10 % of its share', below: 0.1 },
  { token: '--over-1', words: '10 to 25 % above', below: 0.25 },
  { token: '--over-2', words: 'more than 25 % above', below: Number.POSITIVE_INFINITY },
];

/** For what should have nothing, and has nothing. */
export const NO_SHARE = { token: '--ground', words: 'no share, no shards' } as const;

/**
 * How much more than its share something has: 0.1 is ten percent more, -1 nothing. NaN where it should have nothing
 * and has nothing; infinite where it has something.
 */
export function deviation(shards: number, expected: number): number {
  return expected > 0 ? shards / expected - 1 : shards > 0 ? Number.POSITIVE_INFINITY : Number.NaN;
}

/** The step of a {@link deviation}; -1: {@link NO_SHARE}. */
export function fillStep(deviating: number): number {
  if (Number.isNaN(deviating)) return -1;
  const step = FILL_STEPS.findIndex(({ below }) => deviating < below);
  return step < 0 ? FILL_STEPS.length - 1 : step;
}

/** The colour of a {@link deviation}. */
export function fillColour(deviating: number): string {
  return `var(${(FILL_STEPS[fillStep(deviating)] ?? NO_SHARE).token})`;
}

/** A {@link deviation} as text. */
export function deviationText(deviating: number): string {
  if (Number.isNaN(deviating)) return '–';
  if (!Number.isFinite(deviating)) return 'no share';
  const text = (Math.abs(deviating) * 100).toFixed(1);
  return text === '0.0' ? '0.0 %' : `${deviating < 0 ? '−' : '+'}${text} %`;
}
