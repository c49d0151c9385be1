/**
 * Links into the page: `#/VIEW?KEY=VALUE&...`. A link holds the view and how it is shown, and for an example what is
 * selected in it. It holds nothing of a user's own map: no names, no numbers of it.
 */
import { batch, signal } from '@preact/signals';
import { isViewId, type ViewId } from './views.ts';

/** What a parameter tells: `display` is how things are shown, `subject` what of the map is looked at. */
type Kind = 'display' | 'subject';

const view = signal<ViewId>('summary');
const example = signal<string | undefined>(undefined);
const display = signal<Readonly<Record<string, string>>>({});
const subject = signal<Readonly<Record<string, string>>>({});
/** What is open: an example's name, or a user's own map; undefined: nothing. */
let open: { readonly example: string | undefined } | undefined;

/** The page's place. Reading it in a component makes the component follow it. */
export const route = {
  /** The view that is shown. */
  get view(): ViewId {
    return view.value;
  },
  /** The example that is open, or that a link asks for. */
  get example(): string | undefined {
    return example.value;
  },
  /** How something is shown, such as a plot's level or a table's order. Goes into links. */
  display(key: string): string | undefined {
    return display.value[key];
  },
  /** What of the map is looked at, such as a PG or a bucket. Goes into links of examples only. */
  subject(key: string): string | undefined {
    return subject.value[key];
  },
  /** Shows a view; parameters of the kinds stay as they are but for those given. An empty value takes one away. */
  go(to: ViewId, subjects: Readonly<Record<string, string>> = {}): void {
    batch(() => {
      view.value = to;
      subject.value = merged(subject.value, subjects);
    });
    write(true);
  },
  /** Sets one parameter without a step in the browser's history. */
  set(kind: Kind, key: string, value: string | undefined): void {
    const target = kind === 'display' ? display : subject;
    target.value = merged(target.value, { [key]: value ?? '' });
    write(false);
  },
  /** A document was opened: an example, or a user's own. */
  openedExample(id: string | undefined): void {
    open = { example: id };
    batch(() => {
      if (id !== example.value || id === undefined) subject.value = {};
      example.value = id;
    });
    write(false);
  },
  /** What was asked for could not be opened: links go on being of what is open. */
  stayed(): void {
    if (open === undefined || open.example === example.value) return;
    batch(() => {
      subject.value = {};
      example.value = open?.example;
    });
    write(false);
  },
  /** The document was closed. The address stays, for the way back. */
  closed(): void {
    open = undefined;
    batch(() => {
      subject.value = {};
      example.value = undefined;
    });
  },
  /** The example that a link asks for and that is not open. */
  get wantedExample(): string | undefined {
    return example.value === open?.example ? undefined : example.value;
  },
  /** The link to a view, for the navigation. */
  href(to: ViewId): string {
    return hash(to);
  },
};

/** Takes the place from the address, now and whenever the user goes back, forth or elsewhere. */
export function followAddress(): () => void {
  read();
  addEventListener('hashchange', read);
  return () => removeEventListener('hashchange', read);
}

const SUBJECT = 's.';

function read(): void {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?', 2);
  const shown: Record<string, string> = {};
  const looked: Record<string, string> = {};
  let linked: string | undefined;
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === 'example') linked = value;
    else if (key.startsWith(SUBJECT)) looked[key.slice(SUBJECT.length)] = value;
    else shown[key] = value;
  }
  batch(() => {
    view.value = isViewId(path) ? path : 'summary';
    display.value = shown;
    // A user's own map stays open, and what is looked at in it has no place in an address, whoever wrote that.
    if (linked !== undefined && !isOwnOpen()) {
      example.value = linked;
      subject.value = looked;
    }
  });
  if (linked !== undefined && isOwnOpen()) write(false);
}

function isOwnOpen(): boolean {
  return open !== undefined && open.example === undefined;
}

function write(isStep: boolean): void {
  const address = hash(view.value);
  if (location.hash === address) return;
  if (isStep) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
}

function hash(to: ViewId): string {
  const query = new URLSearchParams();
  if (example.value !== undefined) query.set('example', example.value);
  for (const [key, value] of Object.entries(display.value)) query.set(key, value);
  if (example.value !== undefined) {
    for (const [key, value] of Object.entries(subject.value)) query.set(SUBJECT + key, value);
  }
  const text = query.toString();
  return text === '' ? `#/${to}` : `#/${to}?${text}`;
}

function merged(
  old: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...old, ...more }).filter(([, value]) => value !== ''));
}
