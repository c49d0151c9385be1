/** Nouns beside counts. */

/** `PG` beside 1, `PGs` beside others; `many` is for nouns that take more than an `s`. */
export function noun(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}
