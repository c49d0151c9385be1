/** The words of explanations that all parts share: sets, names, numbers. The command and the page both speak them. */
import { ITEM_NONE } from '../../crush/model.ts';
import type { Reweighing, ShadowTrace, TraceItem } from './trace.ts';

/** A set as text, a hole as `-`. */
export function setText(set: readonly number[]): string {
  return `[${set.map((item) => (item === ITEM_NONE ? '-' : String(item))).join(',')}]`;
}

/** A 16.16 number. */
export function fixedText(value: number): string {
  return (value / 0x10000).toFixed(5);
}

/** Why a device that is not fully in is taken, or is not. */
export function reweighingText(name: string, { reweight, hash, isOut }: Reweighing): string {
  if (hash === undefined) return `out: ${name} has reweight 0`;
  const compared = `hash ${hash} is ${isOut ? 'not ' : ''}below ${reweight}`;
  return `${isOut ? 'out' : 'in'}: ${name} has reweight ${fixedText(reweight)}, and ${compared}`;
}

/** An item by name and id. */
export function itemText({ id, name }: TraceItem): string {
  return `${name} (${id})`;
}

/** What a take of a shadow bucket leaves of its bucket; nothing for any other. */
export function shadowText(shadow: ShadowTrace | undefined): string {
  if (shadow === undefined) return '';
  return `, what ${shadow.of.name} has of class ${shadow.class}: ${shadow.devices} of its ${shadow.allDevices} devices`;
}

/** Places of a result, the last not included. */
export function placesText(from: number, to: number): string {
  return to - from === 1 ? `place ${from}` : `places ${from}-${to - 1}`;
}

/** A count and its noun. */
export function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
