/** What is going to happen, by time. */

interface Event {
  readonly time: number;
  /** Which one was announced first, for those of the same time. */
  readonly order: number;
  readonly happen: () => void;
}

function isBefore(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}

/** Events in the order of their times; those of the same time in the order in which they were announced. */
export class EventQueue {
  readonly #heap: Event[] = [];
  #count = 0;

  /** Time of the next event; Infinity when there is none. */
  get next(): number {
    return this.#heap[0]?.time ?? Infinity;
  }

  /** Announces what happens at a time. */
  add(time: number, happen: () => void): void {
    const heap = this.#heap;
    const event = { time, order: this.#count++, happen };
    let at = heap.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, event)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = event;
  }

  /** Takes out the next event. */
  take(): (() => void) | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first?.happen;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const left = heap[child];
      const right = heap[child + 1];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const least = isRight ? right : left;
      if (least === undefined || isBefore(last, least)) break;
      heap[at] = least;
      at = isRight ? child + 1 : child;
    }
    heap[at] = last;
    return first.happen;
  }
}
