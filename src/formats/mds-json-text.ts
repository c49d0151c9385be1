/**
 * JSON of the metadata servers: a document behind stray lines, with numbers that JSON has not.
 */
import { CrushError } from '../errors.ts';
import { demandParsable } from './json-limits.ts';

/** Strings, and the numbers that Ceph prints and JSON forbids. */
const STRING_OR_BAD_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:inf|nan)\b/g;

/** Places to try a document from: more lines that begin like one are hardly a command's output. */
const MAX_STARTS = 16;
/** Lines that may follow a document. */
const MAX_TRAILING = 16;

/**
 * Parses JSON that a command printed, maybe with its warnings before or behind it. `inf`, `-inf` and `nan`, which
 * Ceph prints for counters without a half-life, become null.
 *
 * @throws CrushError `malformed` when there is no document, or none that parses
 */
export function parseMdsJson(text: string): unknown {
  demandParsable(text);
  let failure: CrushError | undefined;
  for (const start of documentStarts(text)) {
    const rest = text.slice(start).trimEnd();
    try {
      return parseLenient(rest);
    } catch (error) {
      for (const end of documentEnds(rest)) {
        try {
          return parseLenient(rest.slice(0, end));
        } catch {
          // The document is damaged itself, or ends elsewhere: the first failure says where it broke.
        }
      }
      const reason = error instanceof Error ? error.message : String(error);
      failure ??= new CrushError('malformed', `not valid JSON: ${reason}; was the output cut off?`);
    }
  }
  throw (
    failure ?? new CrushError('malformed', 'there is no JSON object or array; save the output of the command')
  );
}

function parseLenient(text: string): unknown {
  return JSON.parse(text.replace(STRING_OR_BAD_NUMBER, (match) => (match.startsWith('"') ? match : 'null')));
}

/** Where lines start that begin with a brace or bracket; nested ones are indented. */
function documentStarts(text: string): number[] {
  const starts: number[] = [];
  for (const match of text.matchAll(/(?:^|\n)\ufeff?[ \t]{0,1}[[{]/g)) {
    starts.push(match.index + match[0].length - 1);
    if (starts.length === MAX_STARTS) break;
  }
  return starts;
}

/** Ends of lines that may end a document which other lines follow, the last first. */
function documentEnds(text: string): number[] {
  const ends: number[] = [];
  for (
    let end = text.lastIndexOf('\n');
    end > 0 && ends.length < MAX_TRAILING;
    end = text.lastIndexOf('\n', end - 1)
  ) {
    const last = text.slice(0, end).trimEnd();
    if (last.endsWith('}') || last.endsWith(']')) ends.push(last.length);
  }
  return ends;
}
