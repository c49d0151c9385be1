/** Pins of a simulation: which are set where, and what they bind. */
import { CrushError } from '../../errors.ts';
import type { MdsOptions } from '../options.ts';
import { drawsRandomPin, exportPin, fragmentPin, type ExportPin, type PinnedDirectory } from '../pins.ts';
import type { FragmentTree } from './fragment-tree.ts';
import { NO_NODE, type WorkloadPin } from './workload.ts';

/** What a simulation knows of pins. */
export class PinBook {
  readonly #tree: FragmentTree;
  readonly #maxMds: number;
  readonly #options: MdsOptions;
  readonly #pins = new Map<number, WorkloadPin>();
  readonly #nodes = new Map<number, PinnedDirectory>();

  /**
   * @param directoryAt - finds a directory by its path
   * @param draw - numbers from 0 to 1, for random pins
   * @throws CrushError `not-found` for a directory that is not in the tree
   */
  constructor(
    tree: FragmentTree,
    pins: readonly WorkloadPin[],
    maxMds: number,
    options: MdsOptions,
    directoryAt: (path: string) => number | undefined,
    draw: () => number,
  ) {
    this.#tree = tree;
    this.#maxMds = maxMds;
    this.#options = options;
    for (const pin of pins) {
      const directory = directoryAt(pin.path);
      if (directory === undefined) {
        throw new CrushError('not-found', `there is no directory ${pin.path || '/'} to pin`);
      }
      this.#pins.set(directory, { ...this.#pins.get(directory), ...pin });
    }
    if (pins.some(({ random }) => (random ?? 0) > 0)) this.#drawPins(draw);
  }

  /** Directories with pins of their own. */
  get directories(): IterableIterator<number> {
    return this.#pins.keys();
  }

  /** Whether a pin of any kind is set on the directory itself. */
  isPinned(directory: number): boolean {
    return this.own(directory) !== undefined;
  }

  /** What is set on the directory itself. */
  own(directory: number): ExportPin | undefined {
    if (!this.#pins.has(directory)) return undefined;
    return exportPin(this.#node(directory), this.#maxMds, this.#options, false);
  }

  /** The rank that a fragment is bound to, by pins of its directory or of those above. */
  rankOf(fragment: number): number | undefined {
    if (this.#pins.size === 0) return undefined;
    const directory = this.#tree.directory[fragment] ?? 0;
    return fragmentPin(this.#node(directory), this.#tree.code[fragment] ?? 0, this.#maxMds, this.#options);
  }

  /** All directories are loaded once, at the start. */
  #drawPins(draw: () => number): void {
    for (let directory = 1; directory < this.#tree.names.length; directory++) {
      if (!drawsRandomPin(this.#node(directory), this.#options, draw)) continue;
      const pin = this.#pins.get(directory) ?? { path: this.#tree.path(directory) };
      this.#pins.set(directory, { ...pin, isRandomlyPinned: true });
      this.#nodes.delete(directory);
    }
  }

  #node(directory: number): PinnedDirectory {
    const known = this.#nodes.get(directory);
    if (known !== undefined) return known;
    const { rank, isDistributed, random, isRandomlyPinned } = this.#pins.get(directory) ?? {};
    const tree = this.#tree;
    const parentOf = (): PinnedDirectory | undefined => {
      const holder = tree.holder[directory] ?? NO_NODE;
      return holder === NO_NODE ? undefined : this.#node(tree.directory[holder] ?? 0);
    };
    const node: PinnedDirectory = {
      ino: tree.ino(directory),
      get parent() {
        return parentOf();
      },
      get fragment() {
        return tree.code[tree.holder[directory] ?? 0] ?? 0;
      },
      ...(rank === undefined ? {} : { pin: rank }),
      ...(isDistributed === undefined ? {} : { isDistributed }),
      ...(random === undefined ? {} : { random }),
      ...(isRandomlyPinned === undefined ? {} : { isRandomlyPinned }),
    };
    this.#nodes.set(directory, node);
    return node;
  }
}
