/**
 * A text field for code: line numbers, colours, problems at their lines, find and replace. What is typed into is a
 * plain text field without colour of its own, over lines in theirs; both are scrolled by the browser as one, and only
 * what is in sight exists.
 */
import { useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { count } from '../format.ts';
import { PROBE_LINES } from './area-layout.ts';
import { AreaWindow } from './area-window.ts';
import { handleKey } from './code-keys.ts';
import type { CodeState } from './code-state.ts';
import { FindBar, findNext } from './find-bar.tsx';
import { LineLayer, wordsOf } from './line-layer.tsx';
import type { Tokens } from './pieces.ts';
import './code-area.css';

/** What a {@link CodeArea} shows. */
export interface CodeAreaProps {
  /** The text, with all that outlives this component. */
  readonly state: CodeState;
  /** What the text is, for screen readers. */
  readonly label: string;
  readonly tokens: Tokens;
}

const PROBE = `${'x'.repeat(PROBE_LINES)}\n`.repeat(PROBE_LINES);

/**
 * See the top of the file. Ctrl-F finds, Ctrl-G goes to a line, F8 goes to the next problem and Shift-F8 to the one
 * before, F3 finds the next; Tab leaves.
 */
export function CodeArea({ state, label, tokens }: CodeAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const space = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLDivElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<AreaWindow>();
  const [opened, setOpened] = useState<{ readonly field: 'search' | 'line' }>();
  const problem = useId();

  useLayoutEffect(() => {
    if (!area.current || !scroller.current || !space.current || !probe.current || !gutter.current)
      return undefined;
    const shown = new AreaWindow(state, {
      area: area.current,
      scroller: scroller.current,
      space: space.current,
      probe: probe.current,
      gutter: gutter.current,
    });
    setView(shown);
    return shown.mount();
  }, [state]);
  // The bar is of what is seen.
  useEffect(() => () => void (state.query.value = undefined), [state]);

  const close = useCallback((): boolean => {
    if (state.query.peek() === undefined) return false;
    state.query.value = undefined;
    setOpened(undefined);
    state.field?.focus();
    state.field?.show();
    return true;
  }, [state]);
  const open = useCallback(
    (field: 'search' | 'line'): void => {
      const { start, end } = state.selection.peek();
      const selected = state.text.slice(start, end);
      const last = state.query.peek();
      const isWord = selected !== '' && selected.length < 200 && !selected.includes('\n');
      state.query.value = {
        text: field === 'search' && isWord ? selected : (last?.text ?? ''),
        isCaseSensitive: last?.isCaseSensitive ?? false,
      };
      setOpened({ field });
    },
    [state],
  );
  const onKey = (event: KeyboardEvent): void => {
    const isInField = event.target === area.current;
    const isUsed = handleKey(event, state, isInField ? view : undefined, {
      onFind: open,
      onFindNext: (step) => (state.query.peek() === undefined ? open('search') : findNext(state, step)),
      onClose: close,
    });
    if (isUsed) event.preventDefault();
  };
  const left = `${Math.max(3, String(state.lines.lineCount).length) + 4}ch`;
  state.watch();
  const visible = view?.layout.visible.value ?? { first: 0, count: 50 };
  return (
    <div class="code-area" onKeyDown={onKey}>
      {opened !== undefined && <FindBar state={state} opened={opened} onClose={close} />}
      <div class="code-scroll" ref={scroller} style={{ scrollPaddingLeft: left }}>
        <div class="code-space" ref={space}>
          <LineLayer
            state={state}
            tokens={tokens}
            visible={visible}
            lineHeight={view?.layout.lineHeight.value ?? 20}
            left={left}
            gutter={gutter}
          />
          <textarea
            ref={area}
            class="code-field"
            style={{ left }}
            aria-label={label}
            aria-describedby={problem}
            wrap="off"
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            onPointerMove={(event) => {
              if (view !== undefined && event.buttons === 0) {
                event.currentTarget.title = wordsOf(
                  state.problemsOf(view.layout.lineAtHeight(event.clientY)),
                );
              }
            }}
          />
          <div class="code-probe-box" aria-hidden="true">
            <div ref={probe} class="code-probe">
              {PROBE}
            </div>
          </div>
        </div>
      </div>
      <CursorLine state={state} id={problem} onFind={() => open('search')} />
    </div>
  );
}

/** Where the cursor is, and what is wrong there: told to screen readers when the cursor comes to it. */
function CursorLine(props: { readonly state: CodeState; readonly id: string; readonly onFind: () => void }) {
  const { state, id, onFind } = props;
  state.watch();
  const { lines, cursor } = state;
  const line = lines.lineAt(cursor);
  return (
    <div class="code-foot">
      <span class="quiet">
        Line {count(line + 1)}, column {count(cursor - lines.lineStart(line) + 1)}
      </span>
      <span id={id} role="status">
        {wordsOf(state.problemsOf(line))}
      </span>
      <button type="button" class="link code-find" onClick={onFind}>
        Find…
      </button>
    </div>
  );
}
