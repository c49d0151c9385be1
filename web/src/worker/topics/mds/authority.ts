/** Which rank has authority over which directory, by the subtrees that the ranks report. */
import type { SubtreeReport } from '../../../../../src/mds/reports.ts';
import { isInFragment } from '../../../../../src/mds/reports.ts';
import { hashName } from '../../../../../src/mds/simulate/name-hash.ts';
import type { MeasuredDirectory } from '../../../../../src/mds/plan/measured-tree.ts';
import type { MdsReports } from './desk.ts';
import { SEVERAL_RANKS, UNKNOWN_RANK } from './rank-codes.ts';

/** Ranks of a directory's fragments, by the fragment as Ceph encodes it. */
type FragmentRanks = ReadonlyMap<number, number>;

/** Tells ranks of directories; to be asked for each directory after the one that holds it. */
export class AuthorityIndex {
  readonly #bounds = new Map<bigint, Map<number, number>>();
  readonly #known = new Map<MeasuredDirectory, FragmentRanks>();

  /** @param reports - what the ranks tell; of a subtree, what the rank says that has it counts */
  constructor({ reports }: MdsReports) {
    const all = [...reports].flatMap(([rank, { subtrees = [] }]) => subtrees.map((each) => ({ rank, each })));
    for (const { each } of all.filter(({ rank, each }) => rank !== each.authority)) this.#bind(each);
    for (const { each } of all.filter(({ rank, each }) => rank === each.authority)) this.#bind(each);
  }

  /** The rank, or {@link UNKNOWN_RANK} or {@link SEVERAL_RANKS}. */
  rankOf(directory: MeasuredDirectory): number {
    const ranks = new Set(this.#fragmentsOf(directory).values());
    const [first = UNKNOWN_RANK] = ranks;
    return ranks.size > 1 ? SEVERAL_RANKS : first;
  }

  /** Whether a subtree begins with the directory. */
  isBound({ ino }: MeasuredDirectory): boolean {
    return ino !== undefined && this.#bounds.has(ino);
  }

  #bind({ ino, fragment, authority }: SubtreeReport): void {
    const fragments = this.#bounds.get(ino);
    if (fragments === undefined) this.#bounds.set(ino, new Map([[fragment, authority]]));
    else fragments.set(fragment, authority);
  }

  #fragmentsOf(directory: MeasuredDirectory): FragmentRanks {
    const known = this.#known.get(directory);
    if (known !== undefined) return known;
    const { parent, ino } = directory;
    const inherited = parent === undefined ? UNKNOWN_RANK : this.#rankOfEntry(parent, directory.path);
    const bounds = ino === undefined ? undefined : this.#bounds.get(ino);
    const fragments = new Set([...directory.fragments, ...(bounds?.keys() ?? [])]);
    if (fragments.size === 0) fragments.add(0);
    const ranks = new Map(
      [...fragments].map((fragment) => [fragment, bounds?.get(fragment) ?? inherited] as const),
    );
    this.#known.set(directory, ranks);
    return ranks;
  }

  #rankOfEntry(holder: MeasuredDirectory, path: string): number {
    const ranks = this.#fragmentsOf(holder);
    if (ranks.size === 1) return [...ranks.values()][0] ?? UNKNOWN_RANK;
    const hash = hashName(path.slice(path.lastIndexOf('/') + 1));
    return [...ranks].find(([fragment]) => isInFragment(hash, fragment))?.[1] ?? UNKNOWN_RANK;
  }
}
