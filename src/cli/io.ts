/**
 * What a command may touch: its streams. Commands get a {@link CommandIo} instead of `process`, so that tests run
 * them without a child process.
 */
import { CrushError } from '../errors.ts';
import { gatherStream } from './read-bytes.ts';

/** A stream of text, as strings or as bytes of UTF-8, that a command writes to. */
export interface TextOutput {
  /** Whether a person's terminal is at the other end. */
  readonly isTerminal: boolean;
  /** Width of that terminal, or a sensible width for text that goes to a file. */
  readonly columns: number;
  /** Resolves when more may be written; rejects with {@link OutputClosed} when nobody reads any more. */
  write(text: string | Uint8Array): Promise<void>;
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

/** Ends a command with an exit status and, maybe, last words: those on standard error come first. */
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

/**
 * An output whose failures are of no consequence: what is said on standard error is not what a command is run for,
 * and its exit status must not depend on whether anybody listens.
 */
export function forgiving(output: TextOutput): TextOutput {
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    write: (text) => output.write(text).catch(() => undefined),
  };
}

/** Exit status of a command that was misused. */
export const MISUSE = 2;

/** Ends a command for people that was given what it cannot take; `file` is for what only a file's content shows. */
export function misuse(text: string, file?: string): CommandExit {
  const error = new CrushError('bad-argument', text, file === undefined ? {} : { file });
  return new CommandExit(MISUSE, `crush-wasm: ${printable(error.describe())}\n`);
}

/** A text that must not break the line it goes to. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s*\n\s*/g, ' '));
}

/** Characters by which a name in a map could command a terminal: all of the control characters but tab and line feed. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A text without control characters: written as JSON would, so that JSON stays what it is. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Characters that are gathered before a stream is bothered. */
const CHUNK = 1 << 16;

/** Gathers text for one of a command's outputs; its {@link TextSinks} hands the text on. */
export interface TextSink {
  /** Adds text; call {@link relieve} now and then in long loops. */
  add(text: string): void;
  /**
   * Adds text as bytes of UTF-8. They are not copied: they are written by the next {@link relieve}, until which they
   * must stay as they are.
   */
  addBytes(bytes: Uint8Array): void;
  /** Writes out what the command's sinks hold if that is a large chunk, or if there are bytes in it. */
  relieve(): Promise<void>;
}

/**
 * Gathers a command's text and hands it on in large chunks, waiting for the stream whenever one is full. Text for
 * both outputs is written in the order in which it was added, so that it reads right where they are one file.
 */
export class TextSinks {
  readonly out: TextSink;
  readonly err: TextSink;
  readonly #shown: (text: string) => string;
  #runs: Run[] = [];
  #gathered = 0;

  /** @param shown - what is written of a text: all of it, or {@link printable} */
  constructor(io: CommandIo, shown = (text: string): string => text) {
    this.#shown = shown;
    this.out = this.#sinkOf(io.stdout);
    this.err = this.#sinkOf(io.stderr);
  }

  /** Writes out everything. */
  async flush(): Promise<void> {
    const runs = this.#runs;
    this.#runs = [];
    this.#gathered = 0;
    for (const { output, parts } of runs) {
      await output.write(parts instanceof Uint8Array ? parts : this.#shown(parts.join('')));
    }
  }

  #sinkOf(output: TextOutput): TextSink {
    return {
      add: (text) => this.#add(output, text),
      addBytes: (bytes) => this.#addBytes(output, bytes),
      relieve: async () => {
        if (this.#gathered >= CHUNK) await this.flush();
      },
    };
  }

  #add(output: TextOutput, text: string): void {
    if (text === '') return;
    const last = this.#runs.at(-1);
    if (last?.output === output && !(last.parts instanceof Uint8Array)) last.parts.push(text);
    else this.#runs.push({ output, parts: [text] });
    this.#gathered += text.length;
  }

  #addBytes(output: TextOutput, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#runs.push({ output, parts: bytes });
    this.#gathered += CHUNK;
  }
}

/** What is written to one output at a time. */
interface Run {
  readonly output: TextOutput;
  readonly parts: string[] | Uint8Array;
}

/** The streams of this process. */
export function processIo(): CommandIo {
  return {
    stdout: processOutput(process.stdout),
    stderr: processOutput(process.stderr),
    stdinIsTerminal: process.stdin.isTTY,
    async readStdin(): Promise<Uint8Array> {
      try {
        return await gatherStream(process.stdin);
      } catch (error) {
        if (error instanceof CrushError) throw error.at({ file: 'standard input' });
        throw new CrushError('io', `cannot read standard input: ${(error as Error).message}`);
      }
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
    write(text: string | Uint8Array): Promise<void> {
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
