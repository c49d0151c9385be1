/**
 * Checks a flat map before the kernel sees it: whatever passes here can be mapped from without reading out of
 * bounds and without looping for ever.
 */
import * as L from '../../assembly/layout.ts';
import { CrushError, type CrushErrorCode } from '../errors.ts';
import { MAX_DEVICES } from './limits.ts';
import { BUCKET_ALGORITHM, RULE_OP, RULE_TYPE } from './model.ts';

const KNOWN_OPS = new Set<number>(Object.values(RULE_OP));
/** Types up to the newest known; those without a name map as replicated rules do. */
const MAX_RULE_TYPE = RULE_TYPE.msrIndep;
/** Tunables of 8 bits. */
const BYTE_TUNABLES = [
  ['chooseleaf_vary_r', L.H_CHOOSELEAF_VARY_R],
  ['chooseleaf_stable', L.H_CHOOSELEAF_STABLE],
] as const;
/** Checksum of a flat map's words, without the word that holds it. */
export function flatChecksum(words: Int32Array): number {
  let sum = 0x811c9dc5 | 0;
  for (let i = 0; i < words.length; i++) {
    if (i === L.H_CHECKSUM) continue;
    sum = Math.imul(sum ^ (words[i] ?? 0), 0x01000193);
    sum ^= sum >>> 15;
  }
  return sum;
}

/**
 * Checks the words of a flat map.
 *
 * @param nameOf - names of buckets, for the messages
 * @throws {@link CrushError} `malformed`, `invalid-map` or `unsupported`, with the bucket or rule in its place
 */
export function checkFlat(words: Int32Array, nameOf?: (id: number) => string | undefined): void {
  const fail = (code: CrushErrorCode, path: string, message: string): never => {
    throw new CrushError(code, message, { path });
  };
  const word = (index: number): number => words[index] ?? 0;
  const bucketName = (id: number): string => {
    const name = nameOf?.(id);
    return name === undefined ? `bucket ${id}` : `bucket ${id} (${name})`;
  };
  const demandRange = (path: string, at: number, length: number): void => {
    if (at < L.HEADER_WORDS || length < 0 || at + length > words.length) {
      fail('malformed', path, `${length} words at ${at} lie outside the map's ${words.length}`);
    }
  };

  if (words.length < L.HEADER_WORDS || word(L.H_MAGIC) !== L.FLAT_MAGIC) {
    fail('malformed', 'flat map', 'these words are no flat map');
  }
  if (word(L.H_VERSION) !== L.FLAT_VERSION) {
    fail('unsupported', 'flat map', `version ${word(L.H_VERSION)}, this build reads ${L.FLAT_VERSION}`);
  }
  if (word(L.H_WORDS) !== words.length || word(L.H_CHECKSUM) !== flatChecksum(words)) {
    fail('malformed', 'flat map', 'the words have been cut or changed');
  }

  const maxDevices = word(L.H_MAX_DEVICES);
  const maxBuckets = word(L.H_MAX_BUCKETS);
  const maxRules = word(L.H_MAX_RULES);
  if (maxDevices < 0 || maxDevices > MAX_DEVICES) {
    fail('unsupported', 'crush map', `max_devices is ${maxDevices}, at most ${MAX_DEVICES} are supported`);
  }
  // Ceph keeps these two in 8 bits; what of a greater number counts would be anybody's guess.
  for (const [name, index] of BYTE_TUNABLES) {
    if (word(index) < 0 || word(index) > 0xff) {
      fail('invalid-map', 'tunables', `${name} is ${word(index)}, a number of 8 bits is needed`);
    }
  }
  const bucketIndex = word(L.H_BUCKET_INDEX);
  const ruleIndex = word(L.H_RULE_INDEX);
  demandRange('bucket index', bucketIndex, maxBuckets);
  demandRange('rule index', ruleIndex, maxRules);

  const hasBucket = (id: number): boolean =>
    id < 0 && -1 - id < maxBuckets && word(bucketIndex + (-1 - id)) !== 0;

  const demandLanes = (path: string, at: number, size: number): void => {
    if (at === 0) return;
    demandRange(path, at, L.T_ARRAYS);
    const count = word(at + L.T_COUNT);
    const stride = word(at + L.T_STRIDE);
    if (count < 1 || count > size || stride !== ((count + 3) & ~3)) {
      fail('malformed', path, `a lane table of ${count} items for ${size}`);
    }
    demandRange(path, at + L.T_ARRAYS, 4 * stride);
    for (let i = 0; i < count; i++) {
      const item = word(at + L.T_ARRAYS + 2 * stride + i);
      if (item < 0 && !hasBucket(item)) fail('invalid-map', path, `item ${item} is no bucket of this map`);
    }
  };

  let permutations = 0;
  let maxSize = 0;
  for (let index = 0; index < maxBuckets; index++) {
    const at = word(bucketIndex + index);
    if (at === 0) continue;
    const id = -1 - index;
    const path = bucketName(id);
    demandRange(path, at, L.BUCKET_WORDS);
    const size = word(at + L.B_SIZE);
    const algorithm = word(at + L.B_ALG);
    const nodes = word(at + L.B_NODES);
    if (word(at + L.B_ID) !== id)
      fail('malformed', path, `the record is that of bucket ${word(at + L.B_ID)}`);
    if (word(at + L.B_TYPE) < 1 || word(at + L.B_TYPE) > 0xffff) {
      fail(
        'invalid-map',
        path,
        `type ${word(at + L.B_TYPE)} is not one a bucket can have (0 is for devices)`,
      );
    }
    demandRange(path, word(at + L.B_ITEMS), size);
    const extra = (length: number) => demandRange(path, word(at + L.B_EXTRA), length);
    if (algorithm !== BUCKET_ALGORITHM.straw2 && word(L.H_ALL_STRAW2) !== 0) {
      fail('malformed', path, 'not every bucket is a straw2 bucket, as the map says');
    }
    let weights = size;
    switch (algorithm) {
      case BUCKET_ALGORITHM.uniform:
        weights = 1;
        break;
      case BUCKET_ALGORITHM.tree:
        weights = nodes;
        if (size > 0 && (nodes < 2 || (nodes & (nodes - 1)) !== 0)) {
          fail('invalid-map', path, `a tree of ${nodes} nodes for ${size} items: it must be a power of two`);
        }
        break;
      case BUCKET_ALGORITHM.list:
      case BUCKET_ALGORITHM.straw:
        extra(size);
        break;
      case BUCKET_ALGORITHM.straw2:
        break;
      default:
        fail('unsupported', path, `bucket algorithm ${algorithm} is unknown`);
    }
    demandRange(path, word(at + L.B_WEIGHTS), weights);
    demandLanes(path, word(at + L.B_LANES), size);
    if (word(at + L.B_PERM) !== permutations) fail('malformed', path, 'its permutation overlaps another');
    permutations += L.PERM_HEADER + size;
    maxSize = Math.max(maxSize, size);
    for (let i = 0; i < size; i++) {
      const item = word(word(at + L.B_ITEMS) + i);
      if (item < 0 && !hasBucket(item)) fail('invalid-map', path, `item ${item} is no bucket of this map`);
    }
  }
  if (permutations !== word(L.H_PERM_WORDS))
    fail('malformed', 'flat map', 'the permutation words do not add up');
  checkCycles(words, bucketIndex, maxBuckets, bucketName);

  let maxSteps = 0;
  for (let rule = 0; rule < maxRules; rule++) {
    const at = word(ruleIndex + rule);
    if (at === 0) continue;
    const path = `rule ${rule}`;
    demandRange(path, at, L.R_STEPS);
    const length = word(at + L.R_LENGTH);
    demandRange(path, at + L.R_STEPS, length * L.STEP_WORDS);
    maxSteps = Math.max(maxSteps, length);
    const type = word(at + L.R_TYPE);
    if (type < 0 || type > MAX_RULE_TYPE) fail('unsupported', path, `rule type ${type} is unknown`);
    for (let step = 0; step < length; step++) {
      const op = word(at + L.R_STEPS + step * L.STEP_WORDS + L.S_OP);
      if (!KNOWN_OPS.has(op)) fail('unsupported', `${path}, step ${step}`, `operation ${op} is unknown`);
    }
  }
  if (maxSteps !== word(L.H_MAX_STEPS))
    fail('malformed', 'flat map', 'the longest rule is not as long as it says');

  const sets = word(L.H_CHOOSE_ARGS_COUNT);
  const table = word(L.H_CHOOSE_ARGS_TABLE);
  demandRange('choose_args', table, sets * L.CHOOSE_ARGS_WORDS);
  for (let set = 0; set < sets; set++) {
    const index = word(table + set * L.CHOOSE_ARGS_WORDS + L.C_BUCKETS);
    const path = `choose_args ${word(table + set * L.CHOOSE_ARGS_WORDS + L.C_INDEX_LOW)}`;
    demandRange(path, index, maxBuckets);
    for (let bucket = 0; bucket < maxBuckets; bucket++) {
      const at = word(index + bucket);
      if (at === 0) continue;
      const record = word(bucketIndex + bucket);
      if (record === 0) fail('invalid-map', path, `there is no bucket ${-1 - bucket}`);
      demandRange(path, at, L.CHOOSE_ARG_WORDS);
      const size = word(record + L.B_SIZE);
      demandRange(path, word(at + L.A_WEIGHTS), word(at + L.A_POSITIONS) * size);
      if (word(at + L.A_POSITIONS) < 0) fail('malformed', path, 'a negative number of positions');
      if (word(at + L.A_IDS) !== 0) demandRange(path, word(at + L.A_IDS), size);
      if (word(at + L.A_LANES) === 0) continue;
      const rows = Math.max(1, word(at + L.A_POSITIONS));
      demandRange(path, word(at + L.A_LANES), rows);
      for (let row = 0; row < rows; row++) demandLanes(path, word(word(at + L.A_LANES) + row), size);
    }
  }
}

/** Refuses a bucket that is, over any path, inside itself. Iterative: a chain of buckets may be long. */
function checkCycles(
  words: Int32Array,
  bucketIndex: number,
  maxBuckets: number,
  bucketName: (id: number) => string,
): void {
  const word = (index: number): number => words[index] ?? 0;
  const OPEN = 1;
  const DONE = 2;
  const state = new Uint8Array(maxBuckets);
  const nextItem = new Int32Array(maxBuckets);
  for (let root = 0; root < maxBuckets; root++) {
    if (word(bucketIndex + root) === 0 || state[root] === DONE) continue;
    const path = [root];
    state[root] = OPEN;
    while (path.length > 0) {
      const bucket = path[path.length - 1] ?? 0;
      const at = word(bucketIndex + bucket);
      const i = nextItem[bucket] ?? 0;
      if (i === word(at + L.B_SIZE)) {
        state[bucket] = DONE;
        path.pop();
        continue;
      }
      nextItem[bucket] = i + 1;
      const item = word(word(at + L.B_ITEMS) + i);
      if (item >= 0) continue;
      const child = -1 - item;
      if (state[child] === OPEN) {
        const ring = [...path.slice(path.indexOf(child)), child].map((b) => -1 - b).join(' > ');
        throw new CrushError('invalid-map', `the bucket contains itself (${ring})`, {
          path: bucketName(item),
        });
      }
      if (state[child] !== DONE) {
        state[child] = OPEN;
        path.push(child);
      }
    }
  }
}
