/** Names as words of a search for PGs. */

/** Names that a search cannot take for anything else. */
const PLAIN = /^[a-z][a-z0-9_.~-]*$/i;

/** The word by which a search finds the PGs of an OSD or bucket. */
export function searchWord(name: string): string {
  return PLAIN.test(name) ? name : `"${name}"`;
}
