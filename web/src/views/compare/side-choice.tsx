/** Which two maps are compared, and how. */
import { useState } from 'preact/hooks';
import { documentOpen } from '../../app/document.ts';
import { route } from '../../app/route.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { FileButton } from '../../parts/file-button.tsx';
import type { CompareSide } from '../../worker/topics/compare/sides.ts';
import {
  chooseOther,
  chooseSides,
  otherError,
  otherFile,
  readingOther,
  sideChoices,
  wanted,
} from './compare-state.ts';

/** The choice, with a place for another file. */
export function SideChoice() {
  const pair = wanted.value;
  const choices = sideChoices.value;
  return (
    <section class="panel compare-sides" aria-label="What is compared">
      {pair !== undefined && (
        <div class="toolbar">
          <SideSelect
            label="Before"
            value={pair.before}
            choices={choices}
            onChoose={(side) => chooseSides(side, side === pair.after ? pair.before : pair.after)}
          />
          <button
            type="button"
            title="Compare the other way round"
            onClick={() => chooseSides(pair.after, pair.before)}
          >
            <span aria-hidden="true">⇄</span> Swap
          </button>
          <SideSelect
            label="After"
            value={pair.after}
            choices={choices}
            onChoose={(side) => chooseSides(side === pair.before ? pair.after : pair.before, side)}
          />
          <label>
            Sets{' '}
            <select
              value={pair.set}
              onChange={(event) =>
                route.set('display', 'compare-set', event.currentTarget.value === 'up' ? undefined : 'acting')
              }
            >
              <option value="up">up (where PGs belong)</option>
              <option value="acting">acting (who serves them)</option>
            </select>
          </label>
          <label title="Else each position of an erasure pool's PG holds a shard of its own, and changing places is a move">
            <input
              type="checkbox"
              checked={pair.orderFree}
              onChange={(event) =>
                route.set('display', 'compare-order', event.currentTarget.checked ? 'free' : undefined)
              }
            />{' '}
            ignore positions of erasure shards
          </label>
        </div>
      )}
      <OtherPlace />
      {otherError.value && <ErrorNote error={otherError.value} />}
      {otherFile.value?.notes.map((note) => (
        <p key={note} class="note">
          {otherFile.value?.name}: {note}
        </p>
      ))}
    </section>
  );
}

function SideSelect({
  label,
  value,
  choices,
  onChoose,
}: {
  readonly label: string;
  readonly value: CompareSide;
  readonly choices: readonly CompareSide[];
  readonly onChoose: (side: CompareSide) => void;
}) {
  return (
    <label class="compare-side">
      {label}{' '}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as CompareSide)}>
        {choices.map((side) => (
          <option key={side} value={side}>
            {titleOf(side)}
          </option>
        ))}
      </select>
    </label>
  );
}

function OtherPlace() {
  const [isOver, setOver] = useState(false);
  const other = otherFile.value;
  const reading = readingOther.value;
  return (
    <div
      class={isOver ? 'other-place over' : 'other-place'}
      onDragOver={(event) => {
        if (event.dataTransfer?.types.includes('Files') !== true) return;
        // Dropped elsewhere, a file is opened in place of the open map.
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const files = event.dataTransfer?.files;
        if (files === undefined || files.length === 0) return;
        event.preventDefault();
        void chooseOther([...files]);
      }}
    >
      <FileButton
        label={other === undefined ? 'Choose a file to compare with…' : 'Choose another file…'}
        what="File to compare with"
        isMain={other === undefined}
        onFiles={(files) => void chooseOther(files)}
      />{' '}
      <span class="quiet">
        {reading === undefined
          ? 'or drop it here: an OSDMap, or a CRUSH map to lay into the open OSDMap; the open map stays open'
          : `Reading ${reading} …`}
      </span>
    </div>
  );
}

function titleOf(side: CompareSide): string {
  const open = documentOpen.value;
  const other = otherFile.value;
  if (side === 'other') {
    return other === undefined
      ? ''
      : `${other.name}${other.epoch === undefined ? '' : ` · epoch ${other.epoch}`}`;
  }
  const name = open?.name ?? '';
  if (open?.isChanged !== true) return `${name}${open?.kind === 'osdmap' ? ` · epoch ${open.epoch}` : ''}`;
  return side === 'original' ? `${name}, as it was read` : `${name}, with changes`;
}
