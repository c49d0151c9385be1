/** The problems that a CRUSH map can have: their codes, how bad each is, and where it lies. */
import type { CrushMap } from '../model.ts';

/**
 * How bad a problem is. `error`: PGs cannot be placed as the map says, or mappers refuse the map. `warning`: data
 * goes elsewhere than weights and rules ask, or will when something fails. `note`: nothing is wrong now.
 */
export type ProblemSeverity = 'error' | 'warning' | 'note';

/** Every code and its severity. Codes are stable; new ones may come. */
export const PROBLEM_SEVERITY = {
  // Buckets and what they hold.
  'bucket-index': 'error',
  'bucket-type': 'error',
  'unknown-algorithm': 'error',
  'unknown-hash': 'error',
  'bucket-arrays': 'error',
  'dangling-item': 'error',
  cycle: 'error',
  'too-large': 'error',
  'device-beyond-max': 'error',
  'duplicate-item': 'warning',
  'several-parents': 'warning',
  'orphan-bucket': 'warning',
  'unused-root': 'note',
  'empty-bucket': 'note',
  'stray-device': 'note',
  'type-order': 'warning',
  // Weights.
  'bucket-weight': 'warning',
  'item-weight': 'warning',
  'weight-overflow': 'error',
  'negative-weight': 'error',
  'zero-weight': 'note',
  'zero-bucket': 'warning',
  'uneven-weights': 'note',
  'list-sums': 'warning',
  'tree-nodes': 'warning',
  'straw-lengths': 'warning',
  // Names.
  'unnamed-bucket': 'warning',
  'unnamed-device': 'note',
  'unnamed-type': 'warning',
  'unnamed-rule': 'warning',
  'invalid-name': 'warning',
  'duplicate-name': 'error',
  'name-of-nothing': 'note',
  // Rules.
  'no-rules': 'warning',
  'rule-index': 'error',
  'rule-type': 'error',
  'rule-mask': 'note',
  'unknown-step': 'error',
  'take-missing': 'error',
  'empty-take': 'error',
  'empty-class-tree': 'error',
  'unused-take': 'warning',
  'choose-without-take': 'warning',
  'emit-without-take': 'warning',
  'no-emit': 'error',
  'lost-choice': 'warning',
  'emits-buckets': 'error',
  'choose-below-device': 'error',
  'no-such-domain': 'error',
  'idle-step': 'note',
  'wrong-mode-step': 'error',
  'msr-without-choose': 'error',
  'device-above-domain': 'error',
  'mode-mismatch': 'warning',
  'overlapping-roots': 'warning',
  'blocks-share-osds': 'error',
  'blocks-share-domains': 'warning',
  'too-few-osds': 'error',
  'too-few-osds-at-times': 'warning',
  'two-osds-only': 'note',
  'no-spare-domain': 'note',
  'heavy-domain': 'warning',
  'few-tries': 'warning',
  'default-tries': 'note',
  'below-min-size': 'error',
  'pool-without-rule': 'error',
  'pool-rule-type': 'warning',
  // Tunables and algorithms.
  'legacy-tunables': 'warning',
  'older-tunables': 'note',
  'tunable-range': 'error',
  'straw-calc-version': 'note',
  'straw2-not-allowed': 'note',
  'straw-buckets': 'note',
  'uniform-buckets': 'note',
  'list-buckets': 'note',
  'tree-buckets': 'note',
  // Device classes and shadow trees.
  'unknown-class': 'error',
  'device-without-class': 'note',
  'shadow-missing': 'warning',
  'shadow-dangling': 'error',
  'shadow-stale': 'warning',
  'shadow-weights': 'warning',
  'shadow-form': 'warning',
  'shadow-name': 'warning',
  'shadow-without-original': 'warning',
  // Choose_args.
  'choose-args-bucket': 'error',
  'choose-args-size': 'error',
  'choose-args-idle': 'note',
  'choose-args-weight': 'warning',
  'choose-args-negative': 'error',
  'choose-args-sum': 'warning',
  'choose-args-positions': 'warning',
  'choose-args-few-positions': 'note',
  'choose-args-ids': 'warning',
  'choose-args-pool': 'note',
} as const satisfies Readonly<Record<string, ProblemSeverity>>;

/** What is wrong, as a stable word to branch on. */
export type CrushProblemCode = keyof typeof PROBLEM_SEVERITY;

/** Where a problem lies; the parts that apply are there. */
export interface ProblemPlace {
  /** Bucket id, below 0. */
  readonly bucket?: number;
  /** Device or bucket id: in `bucket` where there is one. */
  readonly item?: number;
  /** Rule number. */
  readonly rule?: number;
  /** Step of the rule, from 0. */
  readonly step?: number;
  /** Index of a choose_args set: a pool id, or -1. */
  readonly chooseArgs?: number;
  /** Position of a weight-set, from 0. */
  readonly position?: number;
  /** Bucket type number. */
  readonly type?: number;
  /** Class number. */
  readonly class?: number;
  /** Name of a tunable, as the text form of maps has it. */
  readonly tunable?: string;
  /** Pool id. */
  readonly pool?: number;
}

/** One problem of a map. */
export interface CrushProblem {
  /** What it is, to branch on. */
  readonly code: CrushProblemCode;
  /** How bad it is, which the code decides. */
  readonly severity: ProblemSeverity;
  /** Where it is. */
  readonly place: ProblemPlace;
  /** The place in words: `bucket -3 (host0), item osd.7`. */
  readonly where: string;
  /** What is wrong, in one sentence without a full stop. */
  readonly message: string;
  /** What would help: a command of Ceph's or what to change in the text form, in one sentence. */
  readonly cure: string;
}

/** Gathers problems and puts their places in words. */
export class ProblemList {
  readonly #map: CrushMap;
  readonly #found: CrushProblem[] = [];

  constructor(map: CrushMap) {
    this.#map = map;
  }

  /** Adds a problem. */
  add(code: CrushProblemCode, place: ProblemPlace, message: string, cure: string): void {
    const where = this.#where(place);
    this.#found.push({ code, severity: PROBLEM_SEVERITY[code], place, where, message, cure });
  }

  /** All problems: errors first, then warnings, then notes; each in the order in which they were found. */
  sorted(): CrushProblem[] {
    const of = (severity: ProblemSeverity): CrushProblem[] =>
      this.#found.filter((problem) => problem.severity === severity);
    return [...of('error'), ...of('warning'), ...of('note')];
  }

  #where(place: ProblemPlace): string {
    const map = this.#map;
    const named = (word: string, id: number, name: string | undefined): string =>
      name === undefined ? `${word} ${id}` : `${word} ${id} (${name})`;
    const parts: string[] = [];
    if (place.pool !== undefined) parts.push(`pool ${place.pool}`);
    if (place.rule !== undefined) parts.push(named('rule', place.rule, map.ruleNames.get(place.rule)));
    if (place.step !== undefined) parts.push(`step ${place.step}`);
    if (place.chooseArgs !== undefined) parts.push(`choose_args ${place.chooseArgs}`);
    if (place.bucket !== undefined) {
      parts.push(named('bucket', place.bucket, map.itemNames.get(place.bucket)));
    }
    if (place.item !== undefined) parts.push(`item ${itemText(map, place.item)}`);
    if (place.position !== undefined) parts.push(`position ${place.position}`);
    if (place.type !== undefined) parts.push(named('type', place.type, map.typeNames.get(place.type)));
    if (place.class !== undefined) parts.push(named('class', place.class, map.classNames.get(place.class)));
    if (place.tunable !== undefined) parts.push(`tunable ${place.tunable}`);
    return parts.length === 0 ? 'map' : parts.join(', ');
  }
}

/** An item as people call it: its name, else `osd.N` for a device, else its id. */
export function itemText(map: CrushMap, id: number): string {
  return map.itemNames.get(id) ?? (id >= 0 ? `osd.${id}` : String(id));
}

/** A 16.16 weight in decimal, as `ceph osd tree` shows it. */
export function weightText(weight: number): string {
  return (weight / 0x10000).toFixed(weight !== 0 && Math.abs(weight) < 66 ? 5 : 3);
}

/** `1 host`, `2 hosts`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`;
}

/** A few of many, in words: `a, b, c and 4 more`. */
export function someOf(names: readonly string[], most = 4): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
}
