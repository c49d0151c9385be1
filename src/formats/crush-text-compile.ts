/**
 * Makes a map of the constructs of a text, in the order and with the refusals of Ceph's compiler
 * (src/crush/CrushCompiler.cc).
 */
import type { CrushMap, CrushTunables } from '../crush/model.ts';
import { compileBucket } from './crush-text-buckets.ts';
import { compileChooseArgs } from './crush-text-choose-args.ts';
import { intOf } from './crush-text-numbers.ts';
import { inBuildOrder } from './crush-text-order.ts';
import { compileRule } from './crush-text-rules.ts';
import { CompileState, type CompileListener } from './crush-text-state.ts';
import type { Construct, DeviceNode, Grammar, TunableNode, TypeNode } from './crush-text-syntax.ts';
import { MSR_TUNABLES, TUNABLES, meaningOf } from './crush-text-words.ts';
import { MAX_DEVICE_ID } from './crushmap-binary.ts';

/** Tunables that have 8 bits. */
const BYTE_TUNABLES: ReadonlySet<string> = new Set([
  'chooseleafVaryR',
  'chooseleafStable',
  'strawCalcVersion',
]);

/**
 * Makes the map.
 *
 * @param text - What was parsed, for the places of errors.
 * @throws CrushError `malformed` with line and column; the listener has heard crushtool's words.
 */
export function compileConstructs(
  constructs: readonly Construct[],
  text: string,
  grammar: Grammar,
  listener: CompileListener,
): CrushMap {
  const state = new CompileState(text, grammar, listener);
  const ordered = inBuildOrder(constructs, (first, second) =>
    state.refuse(
      second.name,
      `buckets '${first.name.text}' and '${second.name.text}' contain each other; take one out of the other`,
      `bucket  '${first.name.text}' and bucket '${second.name.text}' are included each other\n`,
    ),
  );
  for (const construct of ordered) {
    if (construct.kind !== 'bucket') continue;
    for (const { id } of construct.ids) state.usedIds.add(intOf(id.text));
  }
  for (const construct of ordered) compileConstruct(state, construct);
  state.draft.finalize();
  return state.draft.finish();
}

function compileConstruct(state: CompileState, construct: Construct): void {
  switch (construct.kind) {
    case 'tunable':
      compileTunable(state, construct);
      break;
    case 'device':
      compileDevice(state, construct);
      break;
    case 'type':
      compileType(state, construct);
      break;
    case 'bucket':
      compileBucket(state, construct);
      break;
    case 'rule':
      compileRule(state, construct);
      break;
    case 'choose_args':
      compileChooseArgs(state, construct);
  }
}

function compileTunable(state: CompileState, { name, value }: TunableNode): void {
  const known = state.grammar.knowsMsr ? [...TUNABLES, ...MSR_TUNABLES] : TUNABLES;
  const key = meaningOf(known, name.text);
  if (key === undefined) {
    const names = known.map(([each]) => each).join(', ');
    return state.refuse(
      name,
      `there is no tunable '${name.text}'; there are ${names}`,
      `tunable ${name.text} not recognized\n`,
    );
  }
  const number = intOf(value.text);
  state.draft.tunables = { ...state.draft.tunables, [key]: storedTunable(key, number) };
  if (state.isVerbose) state.listener.say(`tunable ${name.text} ${number}\n`);
}

/** A tunable's value as Ceph keeps it: 32 bits, 8 bits, or whether it is one at all. */
function storedTunable(key: keyof CrushTunables, value: number): number {
  if (key === 'chooseleafDescendOnce') return value === 0 ? 0 : 1;
  return BYTE_TUNABLES.has(key) ? value & 0xff : value >>> 0;
}

function compileDevice(state: CompileState, { id: idWord, name, className }: DeviceNode): void {
  const id = intOf(idWord.text);
  if (id < 0 || id > MAX_DEVICE_ID) {
    return state.refuse(idWord, `device id ${idWord.text} is above the limit of ${MAX_DEVICE_ID}`);
  }
  state.draft.setItemName(id, name.text);
  if (state.itemIds.has(name.text)) {
    return state.refuse(
      name,
      `there is a device '${name.text}' already; give each its own name`,
      `item ${name.text} defined twice\n`,
    );
  }
  state.itemIds.set(name.text, id);
  if (className !== undefined) {
    state.draft.itemClasses.set(id, state.classOf(className.text));
  }
  if (state.isVerbose)
    state.listener.say(
      `device ${id} '${name.text}'${className === undefined ? '' : ` class '${className.text}'`}\n`,
    );
}

function compileType(state: CompileState, { id: idWord, name }: TypeNode): void {
  const id = intOf(idWord.text);
  if (id < 0) return state.refuse(idWord, `type ${idWord.text} is beyond 31 bits; types have small numbers`);
  if (state.isVerbose) state.listener.say(`type ${id} '${name.text}'\n`);
  state.typeIds.set(name.text, id);
  state.draft.setTypeName(id, name.text);
}
