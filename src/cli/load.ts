/** Reads the files that commands are given; `-` is standard input. */
import { constants } from 'node:os';
import type { CrushMap } from '../crush/model.ts';
import { CrushError } from '../errors.ts';
import type { MapFile } from '../formats/detect.ts';
import { readMapFile } from '../formats/map-file.ts';
import type { OsdMap } from '../osdmap/model.ts';
import type { CommandIo, TextSink } from './io.ts';
import { readFileBytes } from './read-bytes.ts';

/** How people's commands read their files. */
export interface LoadOptions {
  /** The JSON of the CRUSH map, or a binary one, to go with a JSON OSDMap. */
  readonly crushFile?: string | undefined;
  readonly ignoreCrc?: boolean | undefined;
  /** Called with a sentence for each thing that a JSON dump leaves open. */
  readonly onNote?: (note: string) => void;
}

/**
 * Reads a map of any kind.
 *
 * @throws CrushError that names the file.
 */
export async function loadMapFile(file: string, io: CommandIo, options: LoadOptions = {}): Promise<MapFile> {
  if (file === '-' && options.crushFile === '-') {
    throw new CrushError('bad-argument', 'only one of two files can be standard input');
  }
  const bytes = await readBytes(file, io);
  const second = options.crushFile === undefined ? undefined : await readBytes(options.crushFile, io);
  return naming(
    () =>
      readMapFile(bytes, {
        ...(second === undefined ? {} : { second }),
        ...noteOptions(options.onNote),
        ignoreCrc: options.ignoreCrc ?? false,
      }),
    file,
    options.crushFile,
  );
}

/** How people read of a command's files. */
export function fileTitle(file: string, crushFile?: string): string {
  const names = [file, crushFile].filter((name) => name !== undefined);
  return names.map((name) => (name === '-' ? 'standard input' : name)).join(' and ');
}

/** Reads a file with the words of Ceph's `bufferlist::read_file` for what goes wrong. */
export async function readFileLikeCeph(file: string, io: CommandIo): Promise<Uint8Array> {
  if (file === '-') return io.readStdin();
  try {
    return await readFileBytes(file);
  } catch (error) {
    if (error instanceof CrushError) throw error.at({ file });
    const { number, text } = systemError(error);
    const action = number === constants.errno.EISDIR ? `bufferlist::read_file(${file}): read error:` : '';
    throw new CrushError(
      'io',
      action === '' ? `can't open ${file}: (${number}) ${text}` : `${action}(${number}) ${text}`,
    );
  }
}

/** Hears of what a JSON dump leaves open, from the readers of the drop-ins. */
export type NoteListener = (note: string) => void;

/** Gives notes about a file to standard error. */
export function noteTo(err: TextSink, file: string): NoteListener {
  return (note) => err.add(`crush-wasm: ${fileTitle(file)}: note: ${note}\n`);
}

/** Reads an OSDMap and nothing else. */
export async function readOsdMapFile(
  bytes: Uint8Array,
  file: string,
  onNote?: NoteListener,
): Promise<OsdMap> {
  const read = await naming(() => readMapFile(bytes, noteOptions(onNote)), file);
  if (read.kind === 'osdmap') return read.map;
  throw new CrushError('unknown-kind', 'this is a CRUSH map, not an OSDMap', { file: fileTitle(file) });
}

/** Reads a CRUSH map, binary or JSON, and nothing else: text is for the compiler. */
export async function readCrushMapFile(
  bytes: Uint8Array,
  file: string,
  onNote?: NoteListener,
): Promise<CrushMap> {
  const read = await naming(() => readMapFile(bytes, noteOptions(onNote)), file);
  if (read.kind === 'crushmap' && read.encoding !== 'text') return read.map;
  const what = read.kind === 'crushmap' ? 'text' : 'an OSDMap';
  throw new CrushError('unknown-kind', `this is ${what}, not a binary CRUSH map`, { file: fileTitle(file) });
}

/** Does something with what a file holds; errors of the library then name the file. */
export async function naming<T>(work: () => T | Promise<T>, file: string, crushFile?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CrushError ? error.at({ file: fileTitle(file, crushFile) }) : error;
  }
}

function noteOptions(onNote: NoteListener | undefined): { onNote?: NoteListener } {
  return onNote === undefined ? {} : { onNote };
}

/** Reads a file of a command for people; `-` is standard input. */
export async function readBytes(file: string, io: CommandIo): Promise<Uint8Array> {
  if (file === '-') {
    if (io.stdinIsTerminal) throw new CrushError('io', 'standard input is a terminal; pipe a map into it');
    return io.readStdin();
  }
  try {
    return await readFileBytes(file);
  } catch (error) {
    if (error instanceof CrushError) throw error.at({ file });
    throw new CrushError('io', `cannot be read: ${systemError(error).text}`, { file });
  }
}

/** Words of the C library for the failures that files meet. */
const STRERROR: Readonly<Record<string, string>> = {
  ENOENT: 'No such file or directory',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  EISDIR: 'Is a directory',
  ENOTDIR: 'Not a directory',
  ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long',
  EMFILE: 'Too many open files',
  EIO: 'Input/output error',
  ENOSPC: 'No space left on device',
  EROFS: 'Read-only file system',
};

/** A failure of the system as Ceph prints it: `(2) No such file or directory`. */
export function describeSystemError(error: unknown): string {
  const { number, text } = systemError(error);
  return `(${number}) ${text}`;
}

function systemError(error: unknown): { number: number; text: string } {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const number = (constants.errno as Readonly<Record<string, number>>)[code] ?? 0;
  return { number, text: STRERROR[code] ?? message };
}
