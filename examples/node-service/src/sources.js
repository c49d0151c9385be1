// Where maps come from. A source's poll() hands the follower what is new.
import { execFile } from 'node:child_process';
import { statSync, watch } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Most bytes of a file, as in the library. */
const MAX_BYTES = 256 * 2 ** 20;
const COMMAND_MILLISECONDS = 60_000;

/**
 * A file, or the files of a folder, of whatever names: whole maps and incrementals. Files of a folder whose names begin
 * with a dot or end in `.tmp` are left alone, so that they can be written under such a name and then renamed.
 */
export class Files {
  #path;
  #only;
  /** What each file was when it was read last. */
  #seen = new Map();

  /** @param {string} path - of the folder or file, which need not be there yet: then it is a folder's */
  constructor(path) {
    const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
    this.#path = isFile ? dirname(path) : path;
    this.#only = isFile ? basename(path) : undefined;
  }

  /** Calls back when something in the folder changes, where the file system tells; polling finds it elsewhere. */
  watch(changed) {
    try {
      const watcher = watch(this.#path, changed);
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  }

  stop() {}

  /** @param {import('./follower.js').Follower} follower */
  async poll(follower) {
    let names;
    try {
      names = (await readdir(this.#path)).filter((name) => this.#isWanted(name));
      follower.forget(this.#path);
    } catch (error) {
      follower.report(this.#path, `the folder cannot be read (${error.code})`);
      return;
    }
    const seen = this.#seen;
    this.#seen = new Map();
    for (const name of names.sort()) {
      const mark = await this.#readIfNew(name, seen.get(name), follower);
      if (mark !== undefined) this.#seen.set(name, mark);
    }
    for (const name of seen.keys()) if (!this.#seen.has(name)) follower.forget(name);
    follower.advance();
  }

  #isWanted(name) {
    return this.#only === undefined ? !name.startsWith('.') && !name.endsWith('.tmp') : name === this.#only;
  }

  /** Gives what tells the file from what it may be later; undefined for what is no file. */
  async #readIfNew(name, mark, follower) {
    const path = join(this.#path, name);
    try {
      const found = await stat(path, { bigint: true });
      if (!found.isFile()) return undefined;
      const { ino, size, mtimeNs } = found;
      const now = `${ino} ${size} ${mtimeNs}`;
      if (now === mark) return mark;
      if (size > MAX_BYTES)
        follower.report(name, `this file has ${size} bytes; at most ${MAX_BYTES} are read`);
      else await follower.read(name, await readFile(path));
      return now;
    } catch (error) {
      if (error.code === undefined) throw error;
      // Gone since the folder was listed: it is forgotten like any that is gone.
      if (error.code !== 'ENOENT') follower.report(name, `the file cannot be read (${error.code})`);
      return undefined;
    }
  }
}

/** What a command prints, such as `ceph osd getmap`. */
export class Command {
  #program;
  #args;
  #last;
  #running;
  #stopped = false;

  constructor([program, ...args]) {
    this.#program = program;
    this.#args = args;
  }

  /** Commands do not tell that there is something new. */
  watch() {
    return () => {};
  }

  /** Ends the command that runs. */
  stop() {
    this.#stopped = true;
    this.#running?.child.kill();
  }

  /** @param {import('./follower.js').Follower} follower */
  async poll(follower) {
    const name = [this.#program, ...this.#args].join(' ');
    let output;
    try {
      const limits = { encoding: 'buffer', maxBuffer: MAX_BYTES, timeout: COMMAND_MILLISECONDS };
      this.#running = promisify(execFile)(this.#program, this.#args, limits);
      output = (await this.#running).stdout;
    } catch (error) {
      if (!this.#stopped) follower.report(name, `the command failed: ${reasonOf(error)}`);
      return;
    }
    follower.forget(name);
    if (this.#last?.equals(output) === true) return;
    this.#last = output;
    await follower.read(`output of ${name}`, output);
    follower.advance();
  }
}

function reasonOf({ code, signal, killed, stderr }) {
  // A word: the command could not be run, or printed too much.
  if (typeof code === 'string') return code;
  if (killed) return `no end within ${COMMAND_MILLISECONDS / 1000} s`;
  const [last = ''] = (stderr ?? '').toString().trim().split('\n').slice(-1);
  return `${code === null ? signal : `status ${code}`}, ${last}`;
}
