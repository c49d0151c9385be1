/**
 * What a side worker works on. The page's long jobs (comparing, checking text) run in workers of their own, beside the
 * one that holds the document, which stays free; the document's maps are copied to them from worker to worker.
 */
import { CrushError } from '../../../src/errors.ts';
import type { OsdMap } from '../../../src/osdmap/model.ts';
import type { OpenDocument } from './open-document.ts';

/** A copy of the open document's maps. */
export interface DeskMaps {
  readonly name: string;
  readonly isMadeUp: boolean;
  readonly original: OsdMap;
  readonly current: OsdMap;
}

let maps: DeskMaps | undefined;

/** Sends the open document's maps to a side worker. */
export function lendMaps(document: OpenDocument, port: MessagePort): void {
  const { source, isMadeUp, original, current } = document;
  // In one message, so that what the two maps share is copied once.
  port.postMessage({ name: source.name, isMadeUp, original, current } satisfies DeskMaps);
}

/** Takes the maps that another worker sends. */
export async function takeMaps(port: MessagePort): Promise<void> {
  maps = await new Promise<DeskMaps>((done) => {
    port.onmessage = ({ data }: MessageEvent<DeskMaps>) => done(data);
  });
  port.close();
}

/**
 * The maps on the desk.
 *
 * @throws CrushError `not-found` before any were sent
 */
export function deskMaps(): DeskMaps {
  if (maps === undefined) throw new CrushError('not-found', 'no map is open');
  return maps;
}
