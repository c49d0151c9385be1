/** The changes, in order, with undo and redo. */
import { useEffect } from 'preact/hooks';
import { count, percent } from '../../parts/format.ts';
import type { HistoryState } from '../../worker/what-if/history.ts';
import { act } from './what-if-client.ts';

/** Buttons, and a row for each change with what it moves by itself. */
export function ChangeList({ history }: { readonly history: HistoryState }) {
  const { items, applied } = history;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const kind = key === 'z' ? (event.shiftKey ? 'redo' : 'undo') : key === 'y' ? 'redo' : undefined;
      if (kind === undefined) return;
      event.preventDefault();
      act({ kind });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <section class="panel" aria-labelledby="changes-title">
      <h3 id="changes-title">Changes</h3>
      <div class="toolbar">
        <button type="button" disabled={applied === 0} title="Ctrl+Z" onClick={() => act({ kind: 'undo' })}>
          Undo
        </button>
        <button
          type="button"
          disabled={applied >= items.length}
          title="Ctrl+Shift+Z"
          onClick={() => act({ kind: 'redo' })}
        >
          Redo
        </button>
        <button type="button" disabled={items.length === 0} onClick={() => act({ kind: 'clear' })}>
          Clear
        </button>
      </div>
      {items.length === 0 ? (
        <p class="quiet">None yet: choose an OSD or bucket in the picture, or a pool or rule below it.</p>
      ) : (
        <ol class="changes">
          {items.map(({ id, words, own }, i) => (
            <li key={id} class={i < applied ? '' : 'undone'}>
              <code>{words}</code> <span class="quiet">{i < applied ? `moves ${moved(own)}` : 'undone'}</span>
              <button
                type="button"
                aria-label={`Remove ${words}`}
                onClick={() => act({ kind: 'remove', id })}
              >
                ×
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function moved({ movedShards, shards }: { readonly movedShards: number; readonly shards: number }): string {
  return `${count(movedShards)} ${movedShards === 1 ? 'shard' : 'shards'} (${percent(movedShards / Math.max(1, shards), 2)})`;
}

/** Text fields have an undo of their own. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement)
    return !['range', 'checkbox', 'radio', 'button'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target.isContentEditable;
}
