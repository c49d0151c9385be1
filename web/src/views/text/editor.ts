/** The editor of CRUSH text: CodeMirror with colours, folding, search and problems at their lines. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

export { EditorView };

/** A problem to be shown at its place. */
export interface EditorProblem {
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly at: number;
}

/** What the editor tells. */
export interface EditorEvents {
  readonly onText: () => void;
  /** The cursor is elsewhere. */
  readonly onCursor: (offset: number) => void;
}

/** The state of an editor with a text, without anything to be undone. */
export function editorState(text: string, events: EditorEvents): EditorState {
  return EditorState.create({ doc: text, extensions: extensions(events) });
}

/**
 * Shows an editor. It is put into a shadow tree, since the editor's styles are allowed by the page's policy only
 * where they can be adopted as style sheets.
 */
export function mountEditor(host: HTMLElement, state: EditorState): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  return new EditorView({ state, parent: root, root });
}

/** Shows problems in place of the last ones. */
export function showProblems(view: EditorView, problems: readonly EditorProblem[]): void {
  const { doc } = view.state;
  const diagnostics = problems
    .filter(({ at }) => at >= 0)
    .map(({ severity, message, at }): Diagnostic => {
      const line = doc.lineAt(Math.min(at, doc.length));
      const from = severity === 'error' ? Math.min(at, line.to) : line.from;
      return { severity, message, from, to: Math.max(from, line.to) };
    })
    .sort((a, b) => a.from - b.from);
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Brings a place into sight, with the cursor there. */
export function goTo(view: EditorView, offset: number): void {
  const at = Math.min(offset, view.state.doc.length);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
}

/** Puts another text in the place of all there is; that can be undone. */
export function replaceAll(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

function extensions({ onText, onCursor }: EditorEvents): Extension {
  return [
    lineNumbers(),
    foldGutter(),
    codeFolding(),
    blockFolding,
    lintGutter(),
    history(),
    bracketMatching(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    words,
    keymap.of([...lintKeymap, ...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': 'CRUSH map text', spellcheck: 'false', tabindex: '0' }),
    typingOverSelection,
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onText();
      if (update.selectionSet) onCursor(update.state.selection.main.head);
    }),
    look,
  ];
}

/**
 * Typing over selected text, done here: where the browser does it, it keeps the look of what was selected by a style
 * attribute, which the page's policy forbids.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    if (inputType !== 'insertText' || data === null || event.isComposing) return false;
    if (view.state.selection.main.empty) return false;
    view.dispatch(
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true }),
    );
    event.preventDefault();
    return true;
  },
});

/** Words that the text has by its grammar. Numbers and comments are matched beside them. */
const KEYWORDS = [
  ...[
    'tunable',
    'device',
    'type',
    'class',
    'rule',
    'step',
    'take',
    'emit',
    'choose',
    'chooseleaf',
    'choosemsr',
  ],
  ...['firstn', 'indep', 'id', 'alg', 'hash', 'item', 'weight', 'pos', 'ruleset', 'min_size', 'max_size'],
  ...['choose_args', 'bucket_id', 'weight_set', 'ids', 'uniform', 'list', 'tree', 'straw2', 'straw'],
  ...['replicated', 'erasure', 'msr_firstn', 'msr_indep', 'set_\\w+'],
];
const PATTERN = new RegExp(
  `(#.*)|(?<![\\w.-])(${KEYWORDS.join('|')})(?![\\w.-])|(?<![\\w.-])(-?\\d+(?:\\.\\d+)?)(?![\\w.-])`,
  'g',
);
const MARKS = ['comment', 'keyword', 'number'].map((name) => Decoration.mark({ class: `crush-${name}` }));

const matcher = new MatchDecorator({
  regexp: PATTERN,
  decorate: (add, from, to, match) => {
    const mark = MARKS[match[1] === undefined ? (match[2] === undefined ? 2 : 1) : 0];
    if (mark !== undefined) add(from, to, mark);
  },
});

/** Colours the lines in sight. */
const words = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.decorations = matcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** Lines of a block that are looked through for its end. */
const MOST_BLOCK_LINES = 20_000;

/** Folds what stands between a brace that ends a line and its partner. */
const blockFolding = foldService.of((state, start, end) => {
  const opening = state.doc.lineAt(start);
  if (!/\{\s*(#.*)?$/.test(opening.text)) return null;
  let depth = 0;
  const last = Math.min(state.doc.lines, opening.number + MOST_BLOCK_LINES);
  for (let number = opening.number; number <= last; number++) {
    const line = state.doc.line(number);
    for (const brace of line.text.replace(/#.*/, '').matchAll(/[{}]/g)) {
      depth += brace[0] === '{' ? 1 : -1;
      if (depth === 0 && number > opening.number) return { from: end, to: line.from + brace.index };
    }
  }
  return null;
});

/** The page's colours; they come into the shadow tree by inheritance. */
const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--ground)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.9rem', lineHeight: '1.4' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-gutters': {
    backgroundColor: 'var(--raised)',
    color: 'var(--quiet)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 9%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--accent-ground)', color: 'var(--ink)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--warning) 25%, transparent)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warning) 30%, transparent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-ground)' },
  '.cm-nonmatchingBracket, &.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--error-ground)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--raised)',
    borderColor: 'var(--line)',
    color: 'var(--quiet)',
  },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': {
    backgroundColor: 'var(--ground)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    fontSize: '1em',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--ground)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
  '.cm-panel.cm-search label': { fontSize: '0.9em' },
  '.cm-panel.cm-panel-lint ul [aria-selected]': {
    backgroundColor: 'var(--accent-ground)',
    color: 'var(--ink)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    maxWidth: 'min(40rem, 90vw)',
  },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap' },
  '.crush-comment': { color: 'var(--quiet)', fontStyle: 'italic' },
  '.crush-keyword': { color: 'var(--accent)', fontWeight: '600' },
  '.crush-number': { color: 'var(--good)' },
});
