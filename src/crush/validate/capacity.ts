/** How many OSDs rules can give: the distinct failure domains below their takes. */
import type { CrushBucket } from '../model.ts';
import { weightAt, type MapIndex } from './index-of-map.ts';
import { choiceCount, type RuleBlock } from './rule-blocks.ts';

/** Most choices of a block that are followed; real rules have one to three. */
const MAX_CHOICES = 8;

/** Items of a type that a choice can draw below a bucket. */
export interface Domains {
  /** Ids, each once. */
  readonly ids: readonly number[];
  /** 16.16 weight of each where it is held; summed up where several buckets hold it. */
  readonly weights: readonly number[];
  /** Devices that are met above the first item of the type: a draw that comes to one fails. */
  readonly strays: readonly { readonly bucket: number; readonly item: number }[];
}

/** What a block gives at best and at worst. */
export interface Yield {
  /** With the luckiest choices. */
  readonly best: number;
  /** Where choices fall on the buckets that have least below them. */
  readonly worst: number;
}

/** Counts what blocks of rules can give; remembers what was counted. */
export class Capacity {
  readonly #index: MapIndex;
  readonly #domains = new Map<string, Domains>();

  constructor(index: MapIndex) {
    this.#index = index;
  }

  /** Items of a type below a bucket that can be drawn. */
  domains(top: number, type: number): Domains {
    const key = `${top} ${type}`;
    let found = this.#domains.get(key);
    if (found === undefined) {
      found = this.#search(top, type);
      this.#domains.set(key, found);
    }
    return found;
  }

  /** How many OSDs a block gives of `size` wanted. */
  yieldOf(block: RuleBlock, size: number): Yield {
    const { take, choices } = block;
    if (choices.length === 0) return take >= 0 ? { best: 1, worst: 1 } : { best: 0, worst: 0 };
    if (take >= 0 || choices.length > MAX_CHOICES) return { best: 0, worst: 0 };
    const known = new Map<string, Yield>();
    const give = (bucket: number, at: number): Yield => {
      const key = `${bucket} ${at}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const choice = choices[at];
      if (choice === undefined) return { best: 1, worst: 1 };
      const wanted = choiceCount(choice, size);
      const { ids } = this.domains(bucket, choice.type);
      const isLast = at === choices.length - 1;
      let result: Yield;
      if (isLast || choice.toLeaf || choice.type === 0) {
        const count = isLast ? Math.min(wanted, ids.length) : 0;
        result = { best: count, worst: count };
      } else {
        const yields = ids.map((id) => give(id, at + 1));
        const sum = (values: readonly number[]): number =>
          values.slice(0, wanted).reduce((total, value) => total + value, 0);
        result = {
          best: sum(yields.map(({ best }) => best).sort((a, b) => b - a)),
          worst: sum(yields.map(({ worst }) => worst).sort((a, b) => a - b)),
        };
      }
      known.set(key, result);
      return result;
    };
    const { best, worst } = give(take, 0);
    return { best: Math.min(best, size), worst: Math.min(worst, size) };
  }

  #search(top: number, type: number): Domains {
    const start = this.#index.bucket(top);
    const weights = new Map<number, number>();
    const strays: { bucket: number; item: number }[] = [];
    const queue: CrushBucket[] = start === undefined ? [] : [start];
    const seen = new Set(queue.map(({ id }) => id));
    for (const bucket of queue) {
      for (const [position, item] of bucket.items.entries()) {
        if (!this.#index.isLive(bucket, position)) continue;
        const child = this.#index.child(bucket, position);
        if ((child?.type ?? 0) === type) {
          weights.set(item, (weights.get(item) ?? 0) + weightAt(bucket, position));
        } else if (child === undefined) {
          strays.push({ bucket: bucket.id, item });
        } else if (!seen.has(child.id)) {
          seen.add(child.id);
          queue.push(child);
        }
      }
    }
    return { ids: [...weights.keys()], weights: [...weights.values()], strays };
  }
}
