/** Where files go that are dropped on the page. */
import { signal } from '@preact/signals';

/** Set by a view that takes files itself while it is shown; undefined: files are maps, and are opened. */
export const dropTarget = signal<((files: readonly File[]) => void) | undefined>(undefined);
