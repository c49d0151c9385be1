/*
 * The batch loop: a run of inputs through one rule, results in columns. Nothing crosses to JavaScript per mapping.
 */
import { enterBatch, enterMapping, leaveBatch, setWord, status, word } from './context';
import {
  ITEM_NONE,
  KERNEL_SCALAR,
  KERNEL_TASK_LANES,
  Q_CHOOSE_ARGS,
  Q_COUNT,
  Q_DONE,
  Q_FIRST,
  Q_KERNEL,
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
  Q_TRACE,
  Q_TRACE_ALL,
  Q_TRACE_END,
  Q_TRACED,
  Q_TRIES_WORDS,
  Q_WORK_LIMIT,
  Q_WORKSPACE,
  STATUS_OK,
} from './layout';
import { mapTasks, suitsTasks } from './lanes/engine';
import { doRule, ruleAt } from './rule';
import { seedOf } from './seed';
import { enterTrace, tracedTo, traceRow } from './trace';

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
    word(request, Q_KERNEL) != KERNEL_SCALAR,
  );
  enterTrace(word(request, Q_TRACE), word(request, Q_TRACE_END), word(request, Q_TRACE_ALL) != 0);
  const rule = ruleAt(word(request, Q_RULE));
  if (ASC_FEATURE_SIMD && word(request, Q_KERNEL) == KERNEL_TASK_LANES && suitsTasks(request)) {
    // A mapping that fails is found again, with its place, one at a time.
    if (mapTasks(request, scratch)) {
      setWord(request, Q_DONE, word(request, Q_COUNT));
      setWord(request, Q_TRACED, tracedTo());
      leaveBatch(workspace);
      return STATUS_OK;
    }
  }

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
    traceRow(done);
    const length = doRule(rule, result, scratch);
    code = status;
    if (code != STATUS_OK) break;
    for (let i = length; i < resultMax; i++) setWord(result, i, ITEM_NONE);
    setWord(lengths, done, length);
    if (seeds) setWord(seeds, done, seed);
    result += (<usize>resultMax) << 2;
  }
  setWord(request, Q_DONE, done);
  setWord(request, Q_TRACED, tracedTo());
  leaveBatch(workspace);
  return code;
}
