/** What is missing or does not fit, as the worker says it. */

/** Most notes that are shown at once. */
const MOST = 6;

/** Sentences as notes; where there are many, the rest is folded away. */
export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const rest = notes.slice(MOST);
  return (
    <div class="note">
      <ul class="mds-notes">
        {notes.slice(0, MOST).map((note) => (
          <li key={note}>{sentence(note)}</li>
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more</summary>
          <ul class="mds-notes">
            {rest.map((note) => (
              <li key={note}>{sentence(note)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** Notes begin small, since the command has `note:` before them. */
function sentence(note: string): string {
  const starts = /^[a-z]+[ ']/.test(note) && !note.startsWith('mds');
  return `${starts ? note.charAt(0).toUpperCase() + note.slice(1) : note}.`;
}
