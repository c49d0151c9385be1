/** Shows the view of the route, loading its code at the first time. */
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { ErrorNote } from '../parts/error-note.tsx';
import { toPageError } from '../worker/page-error.ts';
import { documentOpen } from './document.ts';
import { route } from './route.ts';
import { hasOwnFiles, VIEWS, type ViewId } from './views.ts';

const loaded = signal<ReadonlyMap<ViewId, ComponentType>>(new Map());
const loadError = signal<unknown>(undefined);

/** The open document's notes, and the view. */
export function ViewFrame() {
  const id = route.view;
  const view = VIEWS.find((each) => each.id === id) ?? VIEWS[0];
  const Shown = loaded.value.get(id);
  const load = (): void => {
    loadError.value = undefined;
    if (view === undefined || loaded.value.has(id)) return;
    view
      .load()
      .then((component) => (loaded.value = new Map(loaded.value).set(id, component)))
      .catch((error: unknown) => (loadError.value = error));
  };
  useEffect(() => {
    document.title = `${view?.title ?? ''} · crush-wasm`;
    load();
  }, [id]);
  const open = hasOwnFiles(id) ? undefined : documentOpen.value;
  return (
    <main class={`view view-${id}`} id="view">
      <h2 class="view-title">{view?.title}</h2>
      {open?.isMadeUp === true && id !== 'summary' && id !== 'text' && id !== 'hierarchy' && (
        <p class="note">
          This file is a CRUSH map alone: it has no pools and no OSD states. Each rule is shown with a pool
          made up for it, and all OSDs as up and in.
        </p>
      )}
      {open?.obstacle !== undefined && id !== 'summary' && (
        <ErrorNote error={open.obstacle} title="Nothing can be mapped from this map" />
      )}
      {loadError.value !== undefined && (
        <>
          <ErrorNote
            error={toPageError(loadError.value)}
            title="The code of this view could not be loaded; is the connection gone, or the page renewed?"
          />
          <button type="button" onClick={load}>
            Try again
          </button>
        </>
      )}
      {Shown === undefined ? (
        loadError.value === undefined && <p role="status">Loading …</p>
      ) : (
        <Guard key={id}>
          <Shown />
        </Guard>
      )}
    </main>
  );
}

/** A view that fails leaves the others usable. */
function Guard({ children }: { readonly children: preact.ComponentChildren }) {
  const [error, reset] = useErrorBoundary() as [unknown, () => void];
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <ErrorNote error={toPageError(error)} title="This view cannot be shown" />
      <button type="button" onClick={reset}>
        Try again
      </button>
    </>
  );
}
