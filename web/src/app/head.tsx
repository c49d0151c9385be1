/** The page's head: name, open map, navigation, theme. */
import { close, documentOpen } from './document.ts';
import { FilePicker } from './file-picker.tsx';
import { route } from './route.ts';
import { ThemeChoice } from './theme.tsx';
import { hasOwnFiles, VIEWS } from './views.ts';

/** Name, what is open, and the way to every view. */
export function Head() {
  const open = documentOpen.value;
  return (
    <header class="head">
      <div class="head-line">
        <h1>
          <a href="#/" onClick={() => void close()}>
            crush-wasm
          </a>
        </h1>
        {open && (
          <p class="head-document">
            <strong>{open.name}</strong>
            {open.kind === 'osdmap' ? ` · epoch ${open.epoch}` : ' · CRUSH map'}
            {open.isChanged && <span class="badge"> changed</span>}
          </p>
        )}
        {!open && hasOwnFiles(route.view) && (
          <p class="head-document">
            <strong>{VIEWS.find(({ id }) => id === route.view)?.title}</strong> ·{' '}
            <a href="#/summary">open a map</a>
          </p>
        )}
        <div class="head-actions">
          {open && <FilePicker label="Open another…" />}
          <ThemeChoice />
        </div>
      </div>
      {open && (
        <nav aria-label="Views">
          <ul class="views">
            {VIEWS.map(({ id, title }) => (
              <li key={id}>
                <a
                  href={route.href(id)}
                  aria-current={route.view === id ? 'page' : undefined}
                  onClick={(event) => {
                    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                    event.preventDefault();
                    route.go(id);
                  }}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </header>
  );
}
