/** Makes trees of directories from paths, and finds directories by patterns. */
import { CrushError } from '../../errors.ts';
import type { WorkloadTree } from './workload.ts';

/** Most directories of a workload. */
export const MAX_DIRECTORIES = 2_000_000;
/** Most names above one directory. */
const MAX_DEPTH = 200;

/** A range in a name: `{1..20}`. */
const RANGE = /\{(\d{1,9})\.\.(\d{1,9})\}/;

/** A tree that grows. */
export class TreeBuilder {
  readonly #names: string[] = [''];
  readonly #parents: number[] = [-1];
  readonly #files: number[] = [0];
  /** By directory: numbers of those in it, by name. */
  readonly #children: (Map<string, number> | undefined)[] = [undefined];

  /** How many directories there are. */
  get size(): number {
    return this.#names.length;
  }

  /**
   * Adds directories, and those above them.
   *
   * @param path - may have ranges
   * @param files - files in each of them
   * @throws CrushError `bad-argument`
   */
  add(path: string, files: number): void {
    const names = namesOf(path);
    let count = 1;
    for (const name of names) count *= rangeSize(name);
    // Each comes with those above it, of which there may be as many.
    if (count + this.size > MAX_DIRECTORIES) {
      throw new CrushError('bad-argument', `these are more than ${MAX_DIRECTORIES} directories`);
    }
    let level = [0];
    for (const name of names) {
      const here = [...expansions(name)];
      level = level.flatMap((parent) => here.map((each) => this.#child(parent, each)));
      if (this.size > MAX_DIRECTORIES) {
        throw new CrushError('bad-argument', `these are more than ${MAX_DIRECTORIES} directories`);
      }
    }
    for (const directory of level) this.#files[directory] = files;
  }

  /** Numbers of the directories that a pattern fits, in their order. */
  match(pattern: string): number[] {
    let level = new Set([0]);
    for (const name of namesOf(pattern)) {
      const next = new Set<number>();
      if (name === '**')
        for (const directory of level) for (const each of this.#below(directory)) next.add(each);
      else if (name.includes('*')) {
        const expression = nameExpression(name);
        for (const directory of level) {
          for (const [child, number] of this.#children[directory] ?? [])
            if (expression.test(child)) next.add(number);
        }
      } else {
        for (const directory of level) {
          for (const each of expansions(name)) {
            const child = this.#children[directory]?.get(each);
            if (child !== undefined) next.add(child);
          }
        }
      }
      level = next;
    }
    return [...level].sort((a, b) => a - b);
  }

  /** Files and directories in a directory. */
  entries(directory: number): number {
    return (this.#files[directory] ?? 0) + (this.#children[directory]?.size ?? 0);
  }

  /** Path of a directory; empty for the root. */
  path(directory: number): string {
    if (directory <= 0) return '';
    return `${this.path(this.#parents[directory] ?? 0)}/${this.#names[directory] ?? ''}`;
  }

  /** The tree as it is now. */
  tree(): WorkloadTree {
    return {
      names: this.#names,
      parents: Int32Array.from(this.#parents),
      entries: Float64Array.from(this.#names, (_, directory) => this.entries(directory)),
    };
  }

  #child(parent: number, name: string): number {
    const children = (this.#children[parent] ??= new Map<string, number>());
    const known = children.get(name);
    if (known !== undefined) return known;
    const directory = this.#names.length;
    this.#names.push(name);
    this.#parents.push(parent);
    this.#files.push(0);
    this.#children.push(undefined);
    children.set(name, directory);
    return directory;
  }

  /** A directory and all in it. */
  #below(directory: number): number[] {
    const found = [directory];
    // The list grows while it is read.
    for (const each of found) for (const child of this.#children[each]?.values() ?? []) found.push(child);
    return found;
  }
}

function namesOf(path: string): string[] {
  if (!path.startsWith('/')) throw new CrushError('bad-argument', `a path begins with '/', not '${path}'`);
  const names = path.split('/').filter((name) => name !== '');
  if (names.length > MAX_DEPTH) {
    throw new CrushError('bad-argument', `a path has no more than ${MAX_DEPTH} names, not ${names.length}`);
  }
  if (names.some((name) => name === '.' || name === '..')) {
    throw new CrushError('bad-argument', `a path has no '.' and no '..' in it, as '${path}' has`);
  }
  return names;
}

function rangeSize(name: string): number {
  const range = RANGE.exec(name);
  if (range === null) return 1;
  const [first, last] = [Number(range[1]), Number(range[2])];
  if (last < first) throw new CrushError('bad-argument', `a range goes up, not from ${first} to ${last}`);
  const rest = name.slice(range.index + range[0].length);
  return (last - first + 1) * rangeSize(rest);
}

function* expansions(name: string): Generator<string> {
  const range = RANGE.exec(name);
  if (range === null) {
    yield name;
    return;
  }
  const [text, first = '0', last = '0'] = range;
  const before = name.slice(0, range.index);
  for (let number = Number(first); number <= Number(last); number++) {
    // Numbers are as long as the first is written, so that {01..20} sorts.
    const written = String(number).padStart(first.length, '0');
    for (const rest of expansions(name.slice(range.index + text.length))) yield `${before}${written}${rest}`;
  }
}

function nameExpression(name: string): RegExp {
  const parts = name.split(/\*+/).map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
