import { describe, expect, it } from 'vitest';
import { Random } from '../../test/random.ts';
import { changeBetween, CodeState } from '../src/parts/code-area/code-state.ts';
import { cellsOf, CodeText } from '../src/parts/code-area/code-text.ts';
import { isOccurrence, lastOccurrence, nextOccurrence, occurrences } from '../src/parts/code-area/find.ts';
import { piecesOf } from '../src/parts/code-area/pieces.ts';
import { crushTokens } from '../src/views/text/tokens.ts';

const seed = Number(process.env.CRUSH_PROPERTY_SEED ?? Date.now() % 1_000_000_000);
console.log(`code-area: CRUSH_PROPERTY_SEED=${seed}`);
const at = (offset: number) => ({ start: offset, end: offset, isBackward: false });

/** A change of a text of so many characters. */
function randomChange(random: Random, length: number): { from: number; to: number; inserted: string } {
  const from = random.between(0, length);
  const to = Math.min(length, from + random.pick([0, 0, 1, 5, 40]));
  const inserted = Array.from({ length: random.pick([0, 1, 1, 7, 60]) }, () =>
    random.pick(['a', 'b', '\n', '\t']),
  );
  return { from, to, inserted: inserted.join('') };
}

describe('a text with an index of its lines', () => {
  it(`is as if it were split anew after each change (seed ${seed})`, () => {
    const random = new Random(seed);
    let plain = 'one\ntwo\n\nfour';
    const text = new CodeText(plain);
    for (let round = 0; round < 400; round++) {
      const { from, to, inserted } = randomChange(random, plain.length);
      plain = plain.slice(0, from) + inserted + plain.slice(to);
      text.replace(from, to, inserted);
      const lines = plain.split('\n');
      expect(text.text).toBe(plain);
      expect(text.lineCount).toBe(lines.length);
      expect(Array.from(lines, (_, line) => text.line(line))).toEqual(lines);
      const offset = random.between(0, plain.length);
      expect(text.lineAt(offset)).toBe(plain.slice(0, offset).split('\n').length - 1);
      expect(text.cells).toBeGreaterThanOrEqual(Math.max(...lines.map(cellsOf)));
    }
  });

  it('has one line where there is no text, and takes line ends of other systems', () => {
    const empty = new CodeText('');
    expect([empty.lineCount, empty.line(0), empty.lineAt(0), empty.lineEnd(0)]).toEqual([1, '', 0, 0]);
    const text = new CodeText('a\r\nb\rc\n');
    expect(text.text).toBe('a\nb\nc\n');
    expect([text.lineCount, text.line(3), text.lineStart(9)]).toEqual([4, '', 6]);
  });

  it('counts tabs and wide characters', () => {
    expect(cellsOf('\tab\tc')).toBe(17);
    expect(cellsOf('日本')).toBe(4);
  });
});

describe('what was changed', () => {
  it(`makes the one text from the other (seed ${seed})`, () => {
    const random = new Random(seed);
    let before = 'aabbaabb';
    for (let round = 0; round < 400; round++) {
      const { from, to, inserted } = randomChange(random, before.length);
      const after = before.slice(0, from) + inserted + before.slice(to);
      const change = changeBetween(before, after, from + inserted.length);
      if (change === undefined) expect(after).toBe(before);
      else expect(before.slice(0, change.from) + change.inserted + before.slice(change.to)).toBe(after);
      before = after.slice(0, 300);
    }
  });

  it('is before the cursor, of several places that come to the same', () => {
    expect(changeBetween('aaa', 'aaaa', 1)).toEqual({ from: 0, to: 0, inserted: 'a' });
    expect(changeBetween('aaa', 'aaaa', 3)).toEqual({ from: 2, to: 2, inserted: 'a' });
    expect(changeBetween('aaa', 'aa', 1)).toEqual({ from: 1, to: 2, inserted: '' });
  });
});

describe('a text that is edited', () => {
  it(`goes back and forth through its changes (seed ${seed})`, () => {
    const random = new Random(seed);
    const state = new CodeState('one\ntwo\nthree');
    const texts = [state.text];
    for (let round = 0; round < 100; round++) {
      const change = randomChange(random, state.text.length);
      state.edit(change, at(change.from + change.inserted.length));
      texts.push(state.text);
    }
    for (const text of texts.slice(0, -1).reverse()) {
      expect(state.undo()).toBe(true);
      expect(state.text).toBe(text);
    }
    expect(state.undo()).toBe(false);
    for (const text of texts.slice(1)) {
      expect(state.redo()).toBe(true);
      expect(state.text).toBe(text);
    }
    expect(state.redo()).toBe(false);
  });

  it('takes back at once what was typed in one go', () => {
    const state = new CodeState('xy');
    const type = (from: number, inserted: string): void =>
      state.edit({ from, to: from, inserted }, at(from + inserted.length), true);
    state.select(at(1));
    type(1, 'a');
    type(2, 'b');
    // Deleted with Backspace: an edit of its own, and the next joins it.
    state.edit({ from: 2, to: 3, inserted: '' }, at(2), true);
    state.edit({ from: 1, to: 2, inserted: '' }, at(1), true);
    expect(state.text).toBe('xy');
    state.undo();
    expect(state.text).toBe('xaby');
    state.undo();
    expect([state.text, state.cursor]).toEqual(['xy', 1]);
    // What is composed takes the place of what led to it.
    type(1, 'ni');
    state.edit({ from: 1, to: 3, inserted: '日' }, at(2), true);
    expect(state.text).toBe('x日y');
    state.undo();
    expect(state.text).toBe('xy');
    // The cursor went elsewhere in between.
    type(1, 'c');
    state.select(at(0));
    state.select(at(2));
    type(2, 'd');
    state.undo();
    expect(state.text).toBe('xcy');
  });

  it('has problems move with the text', () => {
    const texts: number[] = [];
    const state = new CodeState('one\ntwo\nthree\n', { onText: () => texts.push(1) });
    state.setProblems([
      { severity: 'error', message: 'late', at: 8 },
      { severity: 'warning', message: 'none', at: -1 },
      { severity: 'note', message: 'early', at: 4 },
    ]);
    expect(state.problemsOf(1).map(({ message }) => message)).toEqual(['early']);
    state.edit({ from: 0, to: 0, inserted: 'zero\n' }, at(5));
    expect([state.problemsOf(1), state.problemsOf(2).length, state.problemsOf(3).length]).toEqual([[], 1, 1]);
    expect(state.goToProblem(1)?.message).toBe('early');
    expect(state.goToProblem(1)?.message).toBe('late');
    expect(state.cursor).toBe(13);
    expect(state.goToProblem(1)?.message).toBe('early');
    expect(state.goToProblem(-1)?.message).toBe('late');
    expect(texts.length).toBe(1);
  });

  it('replaces all at once, and takes that back at once', () => {
    const state = new CodeState('alg straw2 ALG straw2 end');
    expect(state.replaceFound({ text: 'alg straw2', isCaseSensitive: false }, 'alg $& list')).toBe(2);
    expect(state.text).toBe('alg $& list alg $& list end');
    state.undo();
    expect(state.text).toBe('alg straw2 ALG straw2 end');
    expect(state.replaceFound({ text: 'none', isCaseSensitive: false }, '')).toBe(0);
    state.replaceAll('alg straw2 x end');
    state.undo();
    expect(state.text).toBe('alg straw2 ALG straw2 end');
  });
});

describe('what is looked for', () => {
  const query = { text: 'a.', isCaseSensitive: false };

  it('is found letter by letter, from where one is and around the ends', () => {
    const text = 'A. ab a. aa.';
    expect(occurrences(text, query, 9)).toEqual([0, 6, 10]);
    expect(occurrences(text, query, 2)).toEqual([0, 6]);
    expect(occurrences(text, { ...query, isCaseSensitive: true }, 9)).toEqual([6, 10]);
    expect([nextOccurrence(text, query, 1), nextOccurrence(text, query, 11)]).toEqual([6, 0]);
    expect([lastOccurrence(text, query, 6), lastOccurrence(text, query, 0)]).toEqual([0, 10]);
    expect([isOccurrence(text, query, 6, 8), isOccurrence(text, query, 3, 5)]).toEqual([true, false]);
  });

  it('is not found where there is none', () => {
    expect(nextOccurrence('abc', query, 0)).toBe(-1);
    expect(lastOccurrence('abc', query, 3)).toBe(-1);
    expect(occurrences('abc', { text: '', isCaseSensitive: true }, 9)).toEqual([]);
  });
});

describe('a line in its colours', () => {
  it('tells keywords, numbers and comments from names', () => {
    const line = '\titem osd.12 weight 1.50000 # step 3';
    expect(crushTokens(line).map(({ from, to, look }) => `${look} ${line.slice(from, to)}`)).toEqual([
      'crush-keyword item',
      'crush-keyword weight',
      'crush-number 1.50000',
      'crush-comment # step 3',
    ]);
    expect(crushTokens('host my-rule-1 {')).toEqual([]);
  });

  it('is cut where its marks begin and end', () => {
    const marks = [
      { from: 0, to: 4, look: 'a' },
      { from: 2, to: 99, look: 'b' },
    ];
    expect(piecesOf('abcdef', marks)).toEqual([
      { text: 'ab', look: 'a' },
      { text: 'cd', look: 'a b' },
      { text: 'ef', look: 'b' },
    ]);
    expect(piecesOf('', [])).toEqual([{ text: '', look: '' }]);
  });
});
