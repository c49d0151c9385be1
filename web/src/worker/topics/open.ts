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

/**
 * Opens a file, or two that belong together (`ceph osd dump` and its CRUSH map). The last document stays on failure.
 *
 * @param ignoreCrc - opens an OSDMap whose checksum is wrong, too
 */
export async function openFiles(files: readonly GivenFile[], ignoreCrc = false): Promise<DocumentState> {
  const name = files.map((file) => file.name).join(' and ');
  try {
    return take({ name, ...(await read(files, false)) });
  } catch (error) {
    if (ignoreCrc && error instanceof CrushError && error.code === 'bad-crc') {
      return take({ name, ...(await read(files, true)), isCrcWrong: true });
    }
    throw error instanceof CrushError ? error.at({ file: name }) : error;
  }
}

/** Opens an example. */
export async function openExample(id: string): Promise<DocumentState> {
  // Those who bring a map of their own need none of it.
  const { readExample } = await import('../examples.ts');
  return take({ ...readExample(id), notes: [] });
}

/** Closes the document, and gives its memory back. */
export function closeDocument(): void {
  shelve(undefined);
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

function take(source: DocumentSource): DocumentState {
  const document = new OpenDocument(source);
  shelve(document);
  return documentState(document);
}
