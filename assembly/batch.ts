/*
 * The batch loop: a run of inputs through one rule, results in columns. Nothing crosses to JavaScript per mapping.
 */
import { enterBatch, enterMapping, leaveBatch, setWord, status, word } from './context';
import { hash2 } from './hash';
import {
  ITEM_NONE,
  Q_CHOOSE_ARGS,
  Q_COUNT,
  Q_DONE,
  Q_FIRST,
  Q_MAP,
  Q_OUT_ITEMS,
  Q_OUT_LENGTHS,
  Q_OUT_SEEDS,
  Q_PGP_MASK,
  Q_PGP_NUM,
  Q_POOL,
  Q_RESULT_MAX,
  Q_REWEIGHT_COUNT,
  Q_REWEIGHTS,
  Q_RULE,
  Q_SEED_MODE,
  Q_TRIES,
  Q_TRIES_WORDS,
  Q_WORK_LIMIT,
  Q_WORKSPACE,
  SEED_HASHED,
  SEED_POOL,
  SEED_POOL_HASHED,
  STATUS_OK,
} from './layout';
import { doRule } from './rule';

/** Runs the batch that the request words at `request` describe; gives back its STATUS_*, see layout.ts. */
export function mapBatch(request: usize): i32 {
  const map = <usize>word(request, Q_MAP);
  const workspace = <usize>word(request, Q_WORKSPACE);
  const resultMax = word(request, Q_RESULT_MAX);
  const chooseArgs = word(request, Q_CHOOSE_ARGS);
  const scratch = enterBatch(
    map,
    workspace,
    resultMax,
    word(request, Q_REWEIGHTS),
    word(request, Q_REWEIGHT_COUNT),
    chooseArgs ? map + ((<usize>chooseArgs) << 2) : 0,
    word(request, Q_TRIES),
    word(request, Q_TRIES_WORDS),
  );

  const rule = word(request, Q_RULE);
  const mode = word(request, Q_SEED_MODE);
  const pool = word(request, Q_POOL);
  const pgpNum = word(request, Q_PGP_NUM);
  const pgpMask = word(request, Q_PGP_MASK);
  const first = word(request, Q_FIRST);
  const count = word(request, Q_COUNT);
  const workLimit = word(request, Q_WORK_LIMIT);
  const seeds = <usize>word(request, Q_OUT_SEEDS);
  const lengths = <usize>word(request, Q_OUT_LENGTHS);
  let result = <usize>word(request, Q_OUT_ITEMS);

  let code = STATUS_OK;
  let done = 0;
  for (; done < count; done++) {
    const seed = seedOf(mode, first + done, pool, pgpNum, pgpMask);
    enterMapping(seed, workLimit);
    const length = doRule(rule, result, scratch);
    code = status;
    if (code != STATUS_OK) break;
    for (let i = length; i < resultMax; i++) setWord(result, i, ITEM_NONE);
    setWord(lengths, done, length);
    if (seeds) setWord(seeds, done, seed);
    result += (<usize>resultMax) << 2;
  }
  setWord(request, Q_DONE, done);
  leaveBatch(workspace);
  return code;
}

/** The input x of a running number (`pg_pool_t::raw_pg_to_pps` for the pool modes). */
export function seedOf(mode: i32, number: i32, pool: i32, pgpNum: i32, pgpMask: i32): i32 {
  if (mode == SEED_POOL_HASHED) return hash2(stableMod(number, pgpNum, pgpMask), pool);
  if (mode == SEED_POOL) return stableMod(number, pgpNum, pgpMask) + pool;
  if (mode == SEED_HASHED) return hash2(number, pool);
  return number;
}

/** number modulo n, such that few numbers change place when n grows (`ceph_stable_mod`). */
// @ts-ignore: decorator
@inline
function stableMod(number: i32, n: i32, mask: i32): i32 {
  return <u32>(number & mask) < <u32>n ? number & mask : number & (mask >>> 1);
}
