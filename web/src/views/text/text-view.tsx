/** The CRUSH map as text beside its picture: checked while it is typed, applied to the open map when it is right. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { documentKey, documentOpen } from '../../app/document.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { toPageError } from '../../worker/page-error.ts';
import { EditorView, editorState, goTo, mountEditor, replaceAll, showProblems } from './editor.ts';
import { ApplyEffect } from './apply-effect.tsx';
import { offsetOfItem } from './parts.ts';
import { ProblemPanel } from './problem-panel.tsx';
import { TextPicture } from './text-picture.tsx';
import {
  applyError,
  applyText,
  binaryOfText,
  checked,
  currentText,
  draft,
  isApplying,
  isBehind,
  isChecking,
  isDirty,
  keptState,
  lastGood,
  noteCursor,
  noteText,
  startError,
  startText,
  useEditor,
} from './text-state.ts';
import './text.css';

/** The view. */
export function TextView() {
  const key = documentKey.value;
  useEffect(() => void startText(make), [key]);
  const error = startError.value;
  if (draft.value === undefined) {
    return error === undefined ? <p role="status">Writing the text …</p> : <ErrorNote error={error} />;
  }
  return (
    <>
      {error && <ErrorNote error={error} />}
      {draft.value.start.notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {documentOpen.value?.isMadeUp === true && (
        <p class="quiet">
          This file is a CRUSH map alone: what moves is told of pools that are made up, one for each rule.
        </p>
      )}
      <Workplace />
    </>
  );
}

function make(text: string) {
  return editorState(text, { onText: noteText, onCursor: noteCursor });
}

function Workplace() {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const { start } = draft.value ?? {};
  useEffect(() => {
    const element = host.current;
    const state = keptState();
    if (element === null || state === undefined) return undefined;
    const shown = mountEditor(element, state);
    view.current = shown;
    useEditor(shown);
    return () => {
      useEditor(undefined);
      shown.destroy();
      view.current = null;
    };
  }, [start]);
  const result = checked.value?.result;
  useEffect(() => {
    if (view.current === null || result === undefined) return;
    const { error, problems } = result;
    showProblems(
      view.current,
      error === undefined
        ? problems.map(({ severity, message, at }) => ({
            severity: severity === 'note' ? 'info' : severity,
            message,
            at,
          }))
        : [{ severity: 'error', message: error.message, at: error.at }],
    );
  }, [result, start]);
  const show = (offset: number): void => {
    if (view.current === null) return;
    goTo(view.current, offset);
    view.current.focus();
  };
  const showItem = useCallback((item: number, isOsd: boolean) => {
    const parts = lastGood.value?.result.parts;
    const offset = parts && offsetOfItem(parts, item, isOsd);
    if (offset !== undefined && view.current !== null) goTo(view.current, offset);
  }, []);
  return (
    <>
      <Toolbar onRevert={() => revert(view.current)} onReload={() => void startText(make, true)} />
      {applyError.value && <ErrorNote error={applyError.value} title="The text was not applied" />}
      <ApplyEffect />
      <div class="text-columns">
        <div class="text-editor">
          <div ref={host} class="editor-host" />
          <ProblemPanel onShow={show} />
          <p class="quiet editor-keys">
            Ctrl-F finds and replaces, F8 goes to the next problem, Ctrl-Z takes back; Escape then Tab leaves
            the editor.
          </p>
        </div>
        <TextPicture onShow={showItem} />
      </div>
    </>
  );
}

function Toolbar({ onRevert, onReload }: { readonly onRevert: () => void; readonly onReload: () => void }) {
  const [failure, setFailure] = useState<string>();
  const hasError = checked.value?.result.error !== undefined;
  const isReady = isDirty.value && !isChecking.value && !hasError && !isApplying.value;
  const name = (documentOpen.value?.kind === 'crushmap' ? documentOpen.value.name : 'crushmap').replace(
    /[^\w.-]+/g,
    '-',
  );
  return (
    <>
      <div class="toolbar">
        <button
          type="button"
          class={isReady ? 'main' : ''}
          disabled={!isReady}
          onClick={() => void applyText()}
        >
          Apply
        </button>
        <button type="button" disabled={!isDirty.value} onClick={onRevert}>
          Revert
        </button>
        <button
          type="button"
          onClick={() => saveFile(new Blob([currentText()], { type: 'text/plain' }), `${name}.txt`)}
        >
          Save text
        </button>
        <button
          type="button"
          disabled={hasError}
          onClick={() => {
            setFailure(undefined);
            binaryOfText().then(
              (blob) => saveFile(blob, `${name}.bin`),
              (error: unknown) => setFailure(toPageError(error).text),
            );
          }}
        >
          Save binary
        </button>
        <span role="status" class="text-state">
          {isApplying.value ? 'Applying …' : isDirty.value ? 'Edited, not applied' : 'As in the open map'}
        </span>
      </div>
      {failure !== undefined && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {isBehind.value && (
        <p class="note">
          The open map was changed elsewhere after this text was begun. Apply would put this text in place of
          those changes of the CRUSH map.{' '}
          <button type="button" onClick={onReload}>
            Take the map’s text instead
          </button>
        </p>
      )}
    </>
  );
}

/** Brings back the text of the open map; that can be taken back like any edit. */
function revert(view: EditorView | null): void {
  const base = draft.value?.base;
  if (view !== null && base !== undefined) replaceAll(view, base.toString());
}
