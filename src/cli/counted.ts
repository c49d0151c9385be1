/** Counts in words. */

/** `1 PG`, `2,000 PGs`; `many` is for nouns that take more than an `s`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
