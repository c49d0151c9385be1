/** Compiles the choose_args of a CRUSH map text (`CrushCompiler::parse_choose_args`). */
import type { ChooseArg } from '../crush/model.ts';
import { intOf, weightOf } from './crush-text-numbers.ts';
import type { CompileState } from './crush-text-state.ts';
import type { ChooseArgNode, ChooseArgsNode, Word } from './crush-text-syntax.ts';

/** Adds one set of choose_args. */
export function compileChooseArgs(state: CompileState, { index: word, args }: ChooseArgsNode): void {
  const index = intOf(word.text);
  if (state.draft.chooseArgs.has(index)) {
    return state.refuse(word, `there are choose_args ${index} already; merge them`, `${index} duplicated\n`);
  }
  const entries = new Map<number, ChooseArg>();
  for (const arg of args) addChooseArg(state, entries, arg);
  state.draft.chooseArgs.set(index, entries);
}

function addChooseArg(
  state: CompileState,
  entries: Map<number, ChooseArg>,
  { bucketId, weightSet, ids }: ChooseArgNode,
): void {
  const id = intOf(bucketId.text);
  if (id >= 0 || -1 - id >= state.draft.buckets.length) {
    return state.refuse(bucketId, `there is no bucket ${id}`, `${id} is out of range\n`);
  }
  const bucket = state.draft.bucket(id);
  if (bucket === undefined) {
    return state.refuse(bucketId, `there is no bucket ${id}`, `${id} does not exist\n`);
  }
  const size = bucket.items.length;
  const demand = (words: readonly Word[], what: string): void => {
    if (words.length === size) return;
    state.refuse(
      words[0] ?? bucketId,
      `bucket ${id} has ${size} items, and there are ${words.length} ${what}`,
      `${id} needs exactly ${size} ${what} but got ${words.length}\n`,
    );
  };
  for (const weights of weightSet ?? []) demand(weights, 'weights');
  if (ids !== undefined) demand(ids, 'ids');
  entries.set(id, {
    ...entries.get(id),
    ...(weightSet && {
      weightSet: weightSet.map((weights) => Uint32Array.from(weights, (word) => weightOf(word.text))),
    }),
    ...(ids && { ids: Int32Array.from(ids, (word) => intOf(word.text)) }),
  });
}
