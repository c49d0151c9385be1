/**
 * rjenkins1, CRUSH's only hash, written as a schedule of mixes over named words (Ceph's src/crush/hash.c).
 */

/** Slots of the state: the arguments a to e, two fixed words, and the hash that grows. */
const SLOT = { a: 0, b: 1, c: 2, d: 3, e: 4, x: 5, y: 6, hash: 7 } as const;
type Word = Exclude<keyof typeof SLOT, 'hash'>;

/** The state of the hash being made; it wraps to 32 bits whatever is put in. */
const STATE = new Uint32Array(8);

/** Which two words each mix stirs into the hash, by the number of arguments. */
const SCHEDULE: readonly (readonly [Word, Word])[][] = [
  [],
  pairs('bx ya'),
  pairs('ab xa by'),
  pairs('ab cx ya bx yc'),
  pairs('ab cd ax yb cx yd'),
  pairs('ab cd ex ya bx yc dx ye'),
];

/** What each third of a mix shifts by; the middle shift goes left. */
const SHIFTS = [
  [13, 8, 13],
  [12, 16, 5],
  [3, 10, 15],
] as const;

/**
 * Hash of 1 to 5 words (each cut to 32 bits), unsigned.
 *
 * @example
 * ```ts
 * hash32(1, 2, 3);
 * ```
 */
export function hash32(...words: number[]): number {
  const schedule = SCHEDULE[words.length];
  if (schedule === undefined || words.length === 0) throw new RangeError('hash32 takes 1 to 5 words');
  const state = STATE;
  let hash = 1315423911;
  for (let i = 0; i < words.length; i++) {
    state[i] = words[i]!;
    hash ^= words[i]!;
  }
  // The form with one argument stirs that argument in twice.
  if (words.length === 1) state[SLOT.b] = words[0]!;
  state[SLOT.x] = 231232;
  state[SLOT.y] = 1232;
  state[SLOT.hash] = hash;
  for (const [first, second] of schedule) mix(state, SLOT[first], SLOT[second], SLOT.hash);
  return state[SLOT.hash]!;
}

/** Stirs the words at slots `p` and `q` into the one at slot `s`; all three change. */
function mix(state: Uint32Array, p: number, q: number, s: number): void {
  for (const [first, second, third] of SHIFTS) {
    state[p] = (state[p]! - state[q]! - state[s]!) ^ (state[s]! >>> first);
    state[q] = (state[q]! - state[s]! - state[p]) ^ (state[p] << second);
    state[s] = (state[s]! - state[p] - state[q]) ^ (state[q] >>> third);
  }
}

function pairs(text: string): (readonly [Word, Word])[] {
  return text.split(' ').map((pair) => [pair[0] as Word, pair[1] as Word] as const);
}
