/** The page: a head, the start page or the open map's views, and a place for files to be dropped on. */
import { useEffect } from 'preact/hooks';
import { ErrorNote } from '../parts/error-note.tsx';
import { documentOpen, openDespiteCrc, openError, openExample, opening } from './document.ts';
import { DropZone } from './drop-zone.tsx';
import { Head } from './head.tsx';
import { followAddress, route } from './route.ts';
import { StartPage } from './start-page.tsx';
import { ViewFrame } from './view-frame.tsx';
import { hasOwnFiles } from './views.ts';
import { workerFailure } from './worker-client.ts';

/** The whole page. */
export function App() {
  useEffect(followAddress, []);
  const wanted = route.wantedExample;
  useEffect(() => {
    if (wanted !== undefined) void openExample(wanted);
  }, [wanted]);
  const isViewShown = documentOpen.value !== undefined || hasOwnFiles(route.view);
  return (
    <DropZone>
      <Head />
      {workerFailure.value && <ErrorNote error={workerFailure.value} />}
      {openError.value && <ErrorNote error={openError.value} />}
      {openError.value?.code === 'bad-crc' && (
        <p class="anyway">
          <button type="button" onClick={() => void openDespiteCrc()}>
            Open it all the same
          </button>
        </p>
      )}
      {opening.value !== undefined && (
        <p class="opening" role="status">
          Reading {opening.value} …
        </p>
      )}
      {isViewShown ? <ViewFrame /> : opening.value === undefined && <StartPage />}
    </DropZone>
  );
}
