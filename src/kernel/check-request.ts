/** What a mapper may be asked for. Callers without types may pass anything. */
import { CrushError } from '../errors.ts';
import type { MapRequest, SeedSource } from './crush-mapper.ts';

/** Largest result a caller may ask for. */
export const MAX_SIZE = 1 << 16;

/** Most items in one answer; JavaScript's arrays may be longer, but what holds them is counted in 32 bits. */
const MAX_ITEMS = 0x7fffffff;

/**
 * Refuses a request that is out of range or of the wrong types.
 *
 * @throws {@link CrushError} `bad-argument`
 */
export function checkRequest(request: MapRequest): void {
  const { rule, size, first, count, seed, out } = request;
  demandInteger('rule', rule, -1, 0x7fffffff);
  demandInteger('size', size, 0, MAX_SIZE);
  demandInteger('first', first, -0x80000000, 0xffffffff);
  demandInteger('count', count, 0, 0x7fffffff);
  demandArray('reweights', request.reweights, 'Uint32Array');
  demandArray('tries', request.tries, 'Uint32Array');
  if (count > 0 && seed !== undefined) checkSeed(seed);
  if (out === undefined) return;
  demandArray('out.items', out.items, 'Int32Array');
  demandArray('out.lengths', out.lengths, 'Int32Array');
  demandArray('out.seeds', out.seeds, 'Int32Array');
  if (out.items.length < count * size || out.lengths.length < count || out.seeds.length < count) {
    throw new CrushError('bad-argument', `out has no room for ${count} mappings of ${size} items`);
  }
}

/**
 * Refuses a request whose result is more than one array holds.
 *
 * @throws {@link CrushError} `bad-argument`
 */
export function checkWhole({ size, count }: MapRequest): void {
  if (count * size <= MAX_ITEMS) return;
  throw new CrushError(
    'bad-argument',
    `${count} mappings of ${size} items are more than ${MAX_ITEMS} items; ask for them in parts`,
  );
}

/** Refuses a number that is no integer of a range. */
export function demandInteger(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new CrushError('bad-argument', `${name} must be an integer from ${least} to ${most}, not ${value}`);
  }
}

const SEED_MODES: readonly string[] = [
  'plain',
  'hashed',
  'pool',
  'pool-hashed',
] satisfies SeedSource['mode'][];

function checkSeed(seed: SeedSource): void {
  const { mode } = seed;
  if (!SEED_MODES.includes(mode)) {
    throw new CrushError('bad-argument', `seed.mode is one of ${SEED_MODES.join(', ')}, not ${mode}`);
  }
  if (mode === 'plain') return;
  demandInteger('seed.pool', seed.pool, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  if (mode !== 'hashed') demandInteger('seed.pgpNum', seed.pgpNum, 1, 0x7fffffff);
}

/** Refuses what is neither undefined nor an array of a kind, of this realm or another. */
function demandArray(name: string, value: unknown, kind: string): void {
  if (value === undefined || value instanceof (kind === 'Int32Array' ? Int32Array : Uint32Array)) return;
  const given = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (given !== kind) throw new CrushError('bad-argument', `${name} must be a ${kind}, not ${given}`);
}
