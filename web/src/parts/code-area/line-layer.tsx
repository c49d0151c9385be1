/** What is seen of a code area: numbers and marks of the lines in sight, and the lines in their colours. */
import type { RefObject } from 'preact';
import type { CodeProblem, CodeState } from './code-state.ts';
import { occurrences } from './find.ts';
import { type LineMark, MOST_COLOURED, piecesOf, type Tokens } from './pieces.ts';
import type { VisibleLines } from './area-layout.ts';

/** Lines that are drawn around those in sight, for scrolling that is ahead of drawing. */
const AROUND = 30;
/** Occurrences of what is looked for that are marked in a line. */
const MOST_FOUND = 200;

/** Shapes that tell severities apart without colour. */
const SHAPES = { error: '✖', warning: '▲', note: '●' } as const;

/** What a {@link LineLayer} shows. */
export interface LineLayerProps {
  readonly state: CodeState;
  readonly tokens: Tokens;
  readonly visible: VisibleLines;
  /** Pixels. */
  readonly lineHeight: number;
  /** Width of the gutter. */
  readonly left: string;
  readonly gutter: RefObject<HTMLDivElement | null>;
}

/** See the top of the file. It is hidden from screen readers, which have the field itself. */
export function LineLayer({ state, tokens, visible, lineHeight, left, gutter }: LineLayerProps) {
  state.watch();
  const { lines } = state;
  const first = Math.max(0, visible.first - AROUND);
  const end = Math.min(lines.lineCount, visible.first + visible.count + AROUND);
  const active = lines.lineAt(state.cursor);
  const numbers = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  const place = { top: `${first * lineHeight}px` };
  const problems = new Map(numbers.map((line) => [line, state.problemsOf(line)] as const));
  return (
    <>
      <div ref={gutter} class="code-gutter" aria-hidden="true" style={{ width: left }}>
        <div class="code-numbers" style={place}>
          {numbers.map((line) => (
            <LineNumber
              key={line}
              line={line}
              isActive={line === active}
              problems={problems.get(line) ?? []}
              onSelect={() => {
                state.goTo(lines.lineStart(line), lines.lineEnd(line));
                state.field?.focus();
              }}
            />
          ))}
        </div>
      </div>
      <div class="code-lines" aria-hidden="true" style={{ ...place, left }}>
        {numbers.map((line) => (
          <div key={line} class={line === active ? 'code-line code-active-line' : 'code-line'}>
            {piecesOf(lines.line(line), marksOf(state, line, tokens, problems.get(line) ?? [])).map(
              ({ text, look }, i) =>
                look === '' ? (
                  text
                ) : (
                  <span key={i} class={look}>
                    {text === '' ? ' ' : text}
                  </span>
                ),
            )}
            {/* A line without anything has a height all the same. */}
            {'\n'}
          </div>
        ))}
      </div>
    </>
  );
}

function LineNumber(props: {
  readonly line: number;
  readonly isActive: boolean;
  readonly problems: readonly CodeProblem[];
  readonly onSelect: () => void;
}) {
  const { line, isActive, problems, onSelect } = props;
  const worst = (['error', 'warning', 'note'] as const).find((severity) =>
    problems.some((problem) => problem.severity === severity),
  );
  return (
    <div class={isActive ? 'code-number code-active-number' : 'code-number'} onClick={onSelect}>
      {worst !== undefined && (
        <span class={`code-mark code-mark-${worst}`} title={wordsOf(problems)}>
          {SHAPES[worst]}
        </span>
      )}
      {line + 1}
    </div>
  );
}

/** Problems in words, one a line. */
export function wordsOf(problems: readonly CodeProblem[]): string {
  return problems.map(({ severity, message }) => `${severity}: ${message}`).join('\n');
}

function marksOf(
  state: CodeState,
  line: number,
  tokens: Tokens,
  problems: readonly CodeProblem[],
): LineMark[] {
  const text = state.lines.line(line);
  const start = state.lines.lineStart(line);
  const coloured = text.slice(0, MOST_COLOURED);
  const marks = [...tokens(coloured)];
  const query = state.query.peek();
  if (query !== undefined) {
    const { start: from, end: to } = state.selection.peek();
    for (const at of occurrences(coloured, query, MOST_FOUND)) {
      const past = at + query.text.length;
      const isNow = start + at === from && start + past === to;
      marks.push({ from: at, to: past, look: isNow ? 'code-found-now' : 'code-found' });
    }
  }
  for (const { severity, at } of problems) {
    const indent = /^\s*/.exec(text)?.[0].length ?? 0;
    const from = severity === 'error' ? at - start : indent;
    marks.push({ from: Math.min(from, text.length), to: text.length, look: `code-wave-${severity}` });
  }
  return marks;
}
