/** An explanation as text, for tickets and mails. */
import { useContext, useState } from 'preact/hooks';
import { worker } from '../../app/worker-client.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { toPageError, type PageError } from '../../worker/page-error.ts';
import { Subject } from './draw-list.tsx';

/** Buttons that copy the text, and save it. */
export function TextButtons({ pg }: { readonly pg: string }) {
  const subject = useContext(Subject);
  const [told, tell] = useState('');
  const [error, setError] = useState<PageError>();
  const take = (use: (text: string) => Promise<string>) => {
    setError(undefined);
    worker
      .explainText(subject)
      .then(use)
      .then(tell)
      .catch((reason: unknown) => setError(toPageError(reason)));
  };
  const save = (text: string): string => {
    saveFile(new Blob([text], { type: 'text/plain' }), `pg-${pg}.txt`);
    return 'Saved.';
  };
  const copy = async (text: string): Promise<string> => {
    try {
      await navigator.clipboard.writeText(text);
      return 'Copied.';
    } catch {
      // Without permission, or a secure context, there is no clipboard.
      return `${save(text)} The browser allows no copying here.`;
    }
  };
  return (
    <div class="text-buttons">
      <button type="button" onClick={() => take(copy)}>
        Copy as text
      </button>{' '}
      <button type="button" onClick={() => take((text) => Promise.resolve(save(text)))}>
        Save as text
      </button>{' '}
      <span role="status">{told}</span>
      {error && <ErrorNote error={error} />}
    </div>
  );
}
