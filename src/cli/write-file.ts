/** Writes the files that the drop-in tools are asked for, with Ceph's words for what goes wrong. */
import { open, type FileHandle } from 'node:fs/promises';
import { CommandExit } from './io.ts';
import { describeSystemError } from './load.ts';

/** Characters that are gathered before a file is bothered. */
const CHUNK = 1 << 16;

/**
 * Writes a map (`bufferlist::write_file`).
 *
 * @param complaint - what the tool has to say of a failure, which is described to it
 * @throws CommandExit with what the original says
 */
export async function writeFileLikeCeph(
  tool: string,
  file: string,
  bytes: Uint8Array,
  complaint = (what: string): string => `error writing '${file}': ${what}`,
): Promise<void> {
  const fail = (error: unknown, step: string): never => {
    const what = describeSystemError(error);
    throw new CommandExit(1, `bufferlist::${step}: ${what}\n${tool}: ${complaint(what)}\n`);
  };
  const handle = await open(file, 'w').catch((error: unknown) =>
    fail(error, `write_file(${file}): failed to open file`),
  );
  try {
    await handle.writeFile(bytes);
  } catch (error) {
    fail(error, `write_fd(${file}): write_fd error`);
  } finally {
    await handle.close();
  }
}

/** A text file that grows: what is added is written now and then, so that it may be larger than memory. */
export class TextFile {
  readonly #tool: string;
  readonly #path: string;
  readonly #handle: FileHandle;
  #parts: string[] = [];
  #gathered = 0;

  private constructor(tool: string, path: string, handle: FileHandle) {
    this.#tool = tool;
    this.#path = path;
    this.#handle = handle;
  }

  /**
   * Opens a file, which is empty then.
   *
   * @throws CommandExit where it cannot be written
   */
  static async create(tool: string, path: string): Promise<TextFile> {
    try {
      return new TextFile(tool, path, await open(path, 'w'));
    } catch (error) {
      throw writeFailure(tool, path, error);
    }
  }

  /** Adds text; call {@link relieve} now and then in long loops. */
  add(text: string): void {
    this.#parts.push(text);
    this.#gathered += text.length;
  }

  /** Writes out what was gathered if that is a large chunk. */
  async relieve(): Promise<void> {
    if (this.#gathered >= CHUNK) await this.#flush();
  }

  /** Writes out everything and closes the file. */
  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#handle.close();
    }
  }

  async #flush(): Promise<void> {
    const text = this.#parts.join('');
    this.#parts = [];
    this.#gathered = 0;
    try {
      await this.#handle.write(text);
    } catch (error) {
      throw writeFailure(this.#tool, this.#path, error);
    }
  }
}

function writeFailure(tool: string, path: string, error: unknown): CommandExit {
  return new CommandExit(1, `${tool}: error writing '${path}': ${describeSystemError(error)}\n`);
}
