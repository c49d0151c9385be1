/** The words of CRUSH text, for its colours. */
import type { LineMark } from '../../parts/code-area/pieces.ts';

/** Words that the text has by its grammar. Numbers and comments are matched beside them. */
const KEYWORDS = [
  ...['tunable', 'device', 'type', 'class', 'rule', 'step', 'take', 'emit', 'choose', 'chooseleaf'],
  ...['choosemsr', 'firstn', 'indep', 'id', 'alg', 'hash', 'item', 'weight', 'pos', 'ruleset', 'min_size'],
  ...['max_size', 'choose_args', 'bucket_id', 'weight_set', 'ids', 'uniform', 'list', 'tree', 'straw2'],
  ...['straw', 'replicated', 'erasure', 'msr_firstn', 'msr_indep', 'set_\\w+'],
];
const PATTERN = new RegExp(
  `(#.*)|(?<![\\w.-])(${KEYWORDS.join('|')})(?![\\w.-])|(?<![\\w.-])(-?\\d+(?:\\.\\d+)?)(?![\\w.-])`,
  'g',
);

/** Comments, keywords and numbers of a line. */
export function crushTokens(line: string): LineMark[] {
  return Array.from(line.matchAll(PATTERN), (match) => ({
    from: match.index,
    to: match.index + match[0].length,
    look:
      match[1] !== undefined ? 'crush-comment' : match[2] !== undefined ? 'crush-keyword' : 'crush-number',
  }));
}
