/** Everything that the page may ask the worker. Each line is a function of the open document, see `topics/`. */
import { guarded, onDocument } from './shelf.ts';
import { hierarchy } from './topics/hierarchy.ts';
import { closeDocument, openExample, openFiles } from './topics/open.ts';
import { problems } from './topics/problems.ts';
import { documentState } from './topics/state.ts';

/** What the page calls through Comlink; all calls are answered in order, by promises. */
export const pageApi = {
  openFiles: guarded(openFiles),
  openExample: guarded(openExample),
  closeDocument: guarded(closeDocument),
  documentState: onDocument(documentState),
  problems: onDocument(problems),
  hierarchy: onDocument(hierarchy),
};

/** The worker as the page sees it. */
export type PageApi = typeof pageApi;
