/** Damaged CRUSH maps: every cut and every flipped bit gives a map or a CrushError, quickly. */
import { describe, expect, it } from 'vitest';
import { CrushError } from '../src/errors.ts';
import { readMap } from '../src/formats/detect.ts';
import { fixture } from './fixtures.ts';
import { Random } from './random.ts';

/** No damaged map of a few kilobytes may take longer; whole ones take less than one. */
const MAX_MILLISECONDS = 2_000;

/** Reads bytes and says how that ended; anything but a map or a CrushError fails the test. */
function outcome(bytes: Uint8Array, place: string): string {
  const start = performance.now();
  let result: string;
  try {
    result = readMap(bytes).kind;
  } catch (error) {
    if (!(error instanceof CrushError)) throw new Error(`${place}: ${String(error)}`, { cause: error });
    result = error.code;
  }
  expect(performance.now() - start, place).toBeLessThan(MAX_MILLISECONDS);
  return result;
}

function tally(outcomes: Iterable<string>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const each of outcomes) counts[each] = (counts[each] ?? 0) + 1;
  return counts;
}

describe.each(['algorithms-v0', 'classes', 'msr_s'])('%s', (name) => {
  const bytes = fixture(`crushmaps/${name}.crushmap`);

  it('cut anywhere', () => {
    const lengths = Array.from({ length: bytes.length }, (_, length) => length);
    const counts = tally(lengths.map((length) => outcome(bytes.subarray(0, length), `cut to ${length}`)));
    // Only ends between two parts of the tail give a map.
    expect(counts.crushmap).toBeLessThanOrEqual(9);
    expect(counts.truncated).toBeGreaterThan(bytes.length - 20);
  });

  it('with any one bit flipped', () => {
    const damaged = Uint8Array.from(bytes);
    const outcomes: string[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const at = bit >> 3;
      damaged[at]! ^= 1 << (bit & 7);
      outcomes.push(outcome(damaged, `bit ${bit}`));
      damaged[at]! ^= 1 << (bit & 7);
    }
    expect(damaged).toEqual(bytes);
    const counts = tally(outcomes);
    expect(counts.crushmap).toBeGreaterThan(0);
    expect(counts.malformed).toBeGreaterThan(0);
    expect(counts.truncated).toBeGreaterThan(0);
    expect(counts.unsupported).toBeGreaterThan(0);
  });
});

describe.each(['algorithms-v1', 'classes'])('the JSON of %s', (name) => {
  const bytes = fixture(`crushmaps/${name}.dump.json`);

  it('with random characters changed, cut out or doubled', () => {
    const seed = 4_711;
    const random = new Random(seed);
    const alphabet = new TextEncoder().encode('0123456789-.eE"{}[]:,ntf\\ \u00e9');
    for (let round = 0; round < 1_000; round++) {
      const at = random.below(bytes.length);
      const length = random.chance(0.5) ? 1 : random.below(200);
      const middle = random.pick<number[]>([
        [],
        [random.pick([...alphabet])],
        [...bytes.subarray(at, at + length), ...bytes.subarray(at, at + length)],
      ]);
      const damaged = Uint8Array.from([...bytes.subarray(0, at), ...middle, ...bytes.subarray(at + length)]);
      outcome(damaged, `seed ${seed}, round ${round}`);
    }
  });
});
