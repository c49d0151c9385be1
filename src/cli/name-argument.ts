/** Names on the command line, which may be any bytes. */

/** What Node leaves of bytes that are not UTF-8; what they were cannot be told any more. */
const REPLACEMENT = '\ufffd';

/** What is wrong with a name given as an argument, or undefined. A guess at its bytes would give a wrong PG. */
export function nameProblem(option: string, text: string | undefined): string | undefined {
  if (text?.includes(REPLACEMENT) !== true) return undefined;
  return (
    `the name after ${option} has bytes that are not UTF-8 (or U+FFFD, which cannot be told from them); ` +
    `take the library, whose mapObject takes a Uint8Array`
  );
}
