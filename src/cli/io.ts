/**
 * What a command may touch: its streams. Commands get a {@link CommandIo} instead of `process`, so that tests run
 * them without a child process.
 */
import { CrushError } from '../errors.ts';

/** A stream of text that a command writes to. */
export interface TextOutput {
  /** Whether a person's terminal is at the other end. */
  readonly isTerminal: boolean;
  /** Width of that terminal, or a sensible width for text that goes to a file. */
  readonly columns: number;
  /** Resolves when more may be written; rejects with {@link OutputClosed} when nobody reads any more. */
  write(text: string): Promise<void>;
}

/** The streams of one command. */
export interface CommandIo {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  /** Everything on standard input. */
  readStdin(): Promise<Uint8Array>;
  /** Whether standard input is a terminal, where nothing will come from. */
  readonly stdinIsTerminal: boolean;
}

/** The reader of an output went away (a pager was left, `head` had enough): the command ends quietly. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** Ends a command with an exit status and, maybe, last words. */
export class CommandExit extends Error {
  override readonly name = 'CommandExit';
  readonly status: number;
  readonly stderr: string;
  readonly stdout: string;

  constructor(status: number, stderr = '', stdout = '') {
    super(stderr);
    this.status = status;
    this.stderr = stderr;
    this.stdout = stdout;
  }
}

/** Exit status of a command that was misused. */
export const MISUSE = 2;

/** Ends a command for people that was given what it cannot take. */
export function misuse(text: string): CommandExit {
  return new CommandExit(MISUSE, `crush-wasm: ${text}\n`);
}

/** Characters that are gathered before a stream is bothered. */
const CHUNK = 1 << 16;

/** Gathers text and hands it on in large chunks, waiting for the stream whenever one is full. */
export class TextSink {
  readonly #output: TextOutput;
  #parts: string[] = [];
  #gathered = 0;

  constructor(output: TextOutput) {
    this.#output = output;
  }

  /** Adds text; call {@link relieve} now and then in long loops. */
  add(text: string): void {
    this.#parts.push(text);
    this.#gathered += text.length;
  }

  /** Whether {@link relieve} has something to do. */
  get isFull(): boolean {
    return this.#gathered >= CHUNK;
  }

  /** Writes out if a chunk is full. */
  async relieve(): Promise<void> {
    if (this.isFull) await this.flush();
  }

  /** Writes out everything. */
  async flush(): Promise<void> {
    if (this.#gathered === 0) return;
    const text = this.#parts.join('');
    this.#parts = [];
    this.#gathered = 0;
    await this.#output.write(text);
  }
}

/** The streams of this process. */
export function processIo(): CommandIo {
  return {
    stdout: processOutput(process.stdout),
    stderr: processOutput(process.stderr),
    stdinIsTerminal: process.stdin.isTTY,
    async readStdin(): Promise<Uint8Array> {
      const chunks: Uint8Array[] = [];
      try {
        for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
      } catch (error) {
        throw new CrushError('io', `cannot read standard input: ${(error as Error).message}`);
      }
      return Buffer.concat(chunks);
    },
  };
}

function processOutput(stream: NodeJS.WriteStream): TextOutput {
  let failure: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure =
      error.code === 'EPIPE'
        ? new OutputClosed(error.message)
        : new CrushError('io', `cannot write output: ${error.message}`);
  });
  return {
    isTerminal: stream.isTTY,
    get columns() {
      return stream.isTTY ? stream.columns : 100;
    },
    write(text: string): Promise<void> {
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (error === null || error === undefined) resolve();
          // The 'error' listener above has run or is about to; let it say what the failure was.
          else setImmediate(() => reject(failure ?? error));
        });
      });
    },
  };
}
