/**
 * Texts of CRUSH maps with something wrong: words, numbers, lines and blocks changed, moved, left out or put in
 * twice. Most are refused; many only by what they mean, not by their grammar.
 */
import type { Random } from './random.ts';

const WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    'item',
    'weight',
    'pos',
    'id',
    'class',
    'step',
    'take',
    'emit',
    'choose',
    'chooseleaf',
  ],
  ...[
    'firstn',
    'indep',
    'type',
    'rule',
    'device',
    'tunable',
    'hash',
    'rjenkins1',
    'alg',
    'uniform',
    'list',
    'tree',
  ],
  ...[
    'straw',
    'straw2',
    'min_size',
    'max_size',
    'ruleset',
    'replicated',
    'erasure',
    'choose_args',
    'bucket_id',
  ],
  ...[
    'weight_set',
    'ids',
    'osd.0',
    'osd.1',
    'host',
    'root',
    'default',
    'osd',
    'hdd',
    'ssd',
    'set_choose_tries',
  ],
  ...['msr_firstn', 'choosemsr', 'noop', '#', '\n', '\r', '\t', ';', 'é', '\u{1f4be}'],
];

const NUMBERS = [
  ...[
    '0',
    '1',
    '2',
    '3',
    '-1',
    '-2',
    '-3',
    '-9',
    '-17',
    '7',
    '255',
    '256',
    '300',
    '1000',
    '70000',
    '16777217',
  ],
  ...[
    '4294967296',
    '99999999999',
    '-4294967297',
    '99999999999999999999',
    '1.0',
    '0.5',
    '0.00001',
    '-1.5',
    '-0.00001',
  ],
  ...[
    '99.999',
    '100',
    '100.001',
    '100.0000001',
    '65535',
    '65535.99',
    '65536',
    '1e3',
    '.5',
    '5.',
    '1e-7',
    '1e20',
  ],
  ...['1e40', '1.5e', '0.99999997', '16.99999999999', '+2', '1.2.3'],
];

/** A text with one to three changes. */
export function mutatedText(text: string, random: Random): string {
  let changed = text;
  for (let i = random.between(1, 3); i > 0; i--) changed = random.pick(CHANGES)(changed, random);
  return changed;
}

type Change = (text: string, random: Random) => string;

const CHANGES: readonly Change[] = [
  // Characters.
  (text, random) => splice(text, random.below(text.length + 1), 1, ''),
  (text, random) => splice(text, random.below(text.length + 1), 0, random.pick([...WORDS, ...NUMBERS])),
  // Words.
  (text, random) => inWords(text, (words) => void (words[random.below(words.length)] = random.pick(WORDS))),
  (text, random) => inWords(text, (words) => words.splice(random.below(words.length), random.between(1, 3))),
  (text, random) =>
    inWords(text, (words) => words.splice(random.below(words.length), 0, random.pick(words), ' ')),
  // Numbers, three times as likely: most of these texts are good in grammar.
  ...Array.from({ length: 3 }, (): Change => (text, random) => replaced(text, /^-?[\d.]+$/, random, NUMBERS)),
  // Names by other names.
  (text, random) =>
    replaced(
      text,
      /^[a-z][\w.-]*$/,
      random,
      text.split(/\s+/).filter((word) => /^[a-z]/.test(word)),
    ),
  // Lines.
  (text, random) => inLines(text, (lines) => lines.splice(random.below(lines.length), 1)),
  (text, random) => inLines(text, (lines) => lines.splice(random.below(lines.length), 0, random.pick(lines))),
  (text, random) =>
    inLines(text, (lines) => {
      const at = random.below(lines.length);
      lines[at] = lines[at]! + random.pick([' class hdd', ' class new', ' pos 0', ' pos 1', ' weight 1.5']);
    }),
  (text, random) =>
    inLines(text, (lines) => {
      const at = random.below(lines.length);
      lines[at] = lines[at]!.replace(/ (weight|pos|class) \S+/, '');
    }),
  // Blocks.
  (text, random) =>
    inBlocks(text, (blocks) => {
      const moved = blocks.splice(random.below(blocks.length), 1);
      blocks.splice(random.below(blocks.length + 1), 0, ...moved);
    }),
  (text, random) =>
    inBlocks(text, (blocks) => blocks.splice(random.below(blocks.length), 0, random.pick(blocks))),
];

function splice(text: string, at: number, length: number, inserted: string): string {
  return text.slice(0, at) + inserted + text.slice(at + length);
}

/** Works on words and the white space between them. */
function inWords(text: string, work: (words: string[]) => unknown): string {
  const words = text.split(/(\s+)/);
  work(words);
  return words.join('');
}

function inLines(text: string, work: (lines: string[]) => unknown): string {
  const lines = text.split('\n');
  work(lines);
  return lines.join('\n');
}

function inBlocks(text: string, work: (blocks: string[]) => unknown): string {
  const blocks = text.split(/(?<=^\}\n)/m);
  work(blocks);
  return blocks.join('');
}

function replaced(text: string, pattern: RegExp, random: Random, choices: readonly string[]): string {
  return inWords(text, (words) => {
    const places = words.flatMap((word, place) => (pattern.test(word) ? [place] : []));
    if (places.length > 0 && choices.length > 0) words[random.pick(places)] = random.pick(choices);
  });
}
