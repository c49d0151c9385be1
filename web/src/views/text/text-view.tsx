/** The CRUSH map as text beside its picture: checked while it is typed, applied to the open map when it is right. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { documentKey, documentOpen } from '../../app/document.ts';
import { CodeArea } from '../../parts/code-area/code-area.tsx';
import type { CodeState } from '../../parts/code-area/code-state.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { toPageError } from '../../worker/page-error.ts';
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
  lastGood,
  startError,
  startText,
} from './text-state.ts';
import { crushTokens } from './tokens.ts';
import './text.css';

/** The view. */
export function TextView() {
  const key = documentKey.value;
  useEffect(() => void startText(), [key]);
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
      <Workplace code={draft.value.code} />
    </>
  );
}

function Workplace({ code }: { readonly code: CodeState }) {
  const result = checked.value?.result;
  useEffect(() => {
    if (result === undefined) return;
    const { error, problems } = result;
    code.setProblems(
      error === undefined ? problems : [{ severity: 'error', message: error.message, at: error.at }],
    );
  }, [result, code]);
  const show = (offset: number): void => {
    code.goTo(offset);
    code.field?.focus();
  };
  const showItem = useCallback(
    (item: number, isOsd: boolean) => {
      const parts = lastGood.value?.result.parts;
      const offset = parts && offsetOfItem(parts, item, isOsd);
      if (offset !== undefined) code.goTo(offset);
    },
    [code],
  );
  return (
    <>
      <Toolbar onRevert={() => revert(code)} onReload={() => void startText(true)} />
      {applyError.value && <ErrorNote error={applyError.value} title="The text was not applied" />}
      <ApplyEffect />
      <div class="text-columns">
        <div class="text-editor">
          <div class="editor-host">
            <CodeArea state={code} label="CRUSH map text" tokens={crushTokens} />
          </div>
          <ProblemPanel onShow={show} />
          <p class="quiet editor-keys">
            Ctrl-F finds and replaces, Ctrl-G goes to a line, F8 goes to the next problem, Ctrl-Z takes back.
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
function revert(code: CodeState): void {
  const base = draft.peek()?.base;
  if (base !== undefined) code.replaceAll(base);
}
