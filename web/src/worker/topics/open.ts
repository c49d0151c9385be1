/** Opening and closing documents. */
import { readMapFile } from '../../../../src/formats/map-file.ts';
import { OpenDocument, type DocumentSource } from '../open-document.ts';
import { CrushError } from '../../../../src/errors.ts';
import { shelve } from '../shelf.ts';
import { documentState, type DocumentState } from './state.ts';

/** A file as the page hands it over. */
export interface GivenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const WRONG_CRC = 'the checksum does not fit the content: the map is damaged, or was changed by hand';

/** The newest attempt to open something or to close it: what an older one reads later is not taken any more. */
let newest = 0;

/**
 * Opens a file, or two that belong together (`ceph osd dump` and its CRUSH map). The last document stays on failure.
 *
 * @param ignoreCrc - opens an OSDMap whose checksum is wrong, too
 * @param attempt - the page's count of what it opens and closes: of two that overlap the later wins, whichever is read
 * first
 */
export async function openFiles(
  files: readonly GivenFile[],
  ignoreCrc = false,
  attempt = newest + 1,
): Promise<DocumentState> {
  begin(attempt);
  const name = files.map((file) => file.name).join(' and ');
  try {
    return take({ name, ...(await read(files, false)) }, attempt);
  } catch (error) {
    if (ignoreCrc && error instanceof CrushError && error.code === 'bad-crc') {
      return take({ name, ...(await read(files, true)), isCrcWrong: true }, attempt);
    }
    if (!(error instanceof CrushError)) throw error;
    // The page has a button for what the library has an option for.
    if (error.code === 'bad-crc') throw new CrushError('bad-crc', WRONG_CRC, { ...error.place, file: name });
    throw error.at({ file: name });
  }
}

/** Opens an example; `attempt` as for {@link openFiles}. */
export async function openExample(id: string, attempt = newest + 1): Promise<DocumentState> {
  begin(attempt);
  // Those who bring a map of their own need none of it.
  const { readExample } = await import('../examples.ts');
  return take({ ...readExample(id), notes: [] }, attempt);
}

/** Closes the document, and gives its memory back; `attempt` as for {@link openFiles}. */
export function closeDocument(attempt = newest + 1): void {
  begin(attempt);
  if (attempt === newest) shelve(undefined);
}

function begin(attempt: number): void {
  newest = Math.max(newest, attempt);
}

async function read(
  [first, second]: readonly GivenFile[],
  ignoreCrc: boolean,
): Promise<Pick<DocumentSource, 'file' | 'notes'>> {
  const notes: string[] = [];
  const file = await readMapFile(first?.bytes ?? new Uint8Array(0), {
    ignoreCrc,
    onNote: (note) => notes.push(note),
    ...(second === undefined ? {} : { second: second.bytes }),
  });
  return { file, notes };
}

function take(source: DocumentSource, attempt: number): DocumentState {
  if (attempt < newest) throw new CrushError('refused', 'something else has been opened in the meantime');
  const document = new OpenDocument(source);
  shelve(document);
  return documentState(document);
}
