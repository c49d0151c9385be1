/** The page's worker: it holds the map and computes everything, so that the page never waits. */
import { expose } from 'comlink';
import { pageApi } from './api.ts';

expose(pageApi);
