/**
 * Bounds on JSON text before it is parsed: parsed values take far more memory than their text, `{}` some thirty
 * times as much.
 */
import { CrushError } from '../errors.ts';
import { MIB } from './gather-bytes.ts';

/** Most bytes of JSON text. The reports of the largest clusters have some tens of MiB. */
export const MAX_JSON_BYTES = 128 * MIB;

/** Most objects and arrays; a cluster of 10,000 OSDs has some 500,000. */
const MAX_CONTAINERS = 1 << 22;
/** Most values in them. */
const MAX_VALUES = 1 << 23;
/** Most members of one object: they are fields, profiles, and sets of pools. */
const MAX_MEMBERS = 1 << 16;

/** Text below this length has no room for so much: an object or array takes three characters, a value two. */
const HARMLESS_LENGTH = Math.min(3 * MAX_CONTAINERS, 2 * MAX_VALUES);

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Refuses JSON text that would take too much memory once parsed. It need not be valid.
 *
 * @throws CrushError `unsupported`, naming the limit
 */
export function demandParsable(text: string): void {
  if (text.length <= HARMLESS_LENGTH) return;
  let containers = 0;
  let values = 0;
  let members = 0;
  const membersOfOuter: number[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++containers > MAX_CONTAINERS) throw tooMany(MAX_CONTAINERS, 'objects and arrays');
        membersOfOuter.push(members);
        members = 0;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        members = membersOfOuter.pop() ?? 0;
        break;
      case COMMA:
        if (++values > MAX_VALUES) throw tooMany(MAX_VALUES, 'values');
        break;
      case COLON:
        if (++members > MAX_MEMBERS) throw tooMany(MAX_MEMBERS, 'members of one object');
    }
  }
}

/** Where the quote that closes a string stands, or the end of the text. */
function endOfString(text: string, open: number): number {
  let end = text.indexOf('"', open + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

function tooMany(most: number, what: string): CrushError {
  return new CrushError('unsupported', `this JSON has more than ${most} ${what}, the most that is read`);
}
