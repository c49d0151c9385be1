/** Workloads that are typical of file systems, as descriptions that can be printed, changed and read again. */
import { seededRandom } from './random.ts';
import type { DirectoryDescription, LoadDescription, WorkloadDescription } from './workload-description.ts';

/** Kinds of workloads. */
export const WORKLOAD_KINDS = ['hot-directory', 'many-users', 'untar', 'mdtest'] as const;

/** A kind of workload. */
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** How large a workload is to be. */
export interface GenerateSettings {
  /** About how many directories. */
  readonly directories: number;
  /** About how many requests a second. */
  readonly rate: number;
  /** Seconds that will be simulated. */
  readonly seconds: number;
  readonly seed: number;
}

/**
 * Describes a workload.
 *
 * - `hot-directory`: projects with directories that are all read a little, and one directory at a time that gets most of
 *   all requests, another one each minute.
 * - `many-users`: home directories, few of them busy and most of them not, by chance; users come and go.
 * - `untar`: four clients unpack archives: directory by directory, files are created and their attributes set.
 * - `mdtest`: sixteen tasks, each in a directory of its own, create files, stat them and remove them, and all over again.
 */
export function describeWorkload(kind: WorkloadKind, settings: GenerateSettings): WorkloadDescription {
  switch (kind) {
    case 'hot-directory':
      return hotDirectory(settings);
    case 'many-users':
      return manyUsers(settings);
    case 'untar':
      return untar(settings);
    case 'mdtest':
      return mdtest(settings);
  }
}

function hotDirectory({ directories, rate }: GenerateSettings): WorkloadDescription {
  const projects = Math.max(1, Math.round(Math.sqrt(directories / 2)));
  const each = Math.max(1, Math.round(directories / projects));
  const all = '/project*/d*';
  return {
    name: 'hot-directory',
    directories: [{ path: `/project{1..${projects}}/d{1..${each}}`, files: 200 }],
    loads: [
      { in: all, op: 'stat', totalRate: 0.3 * rate },
      { in: all, hits: { IRD: 0.7, IWR: 0.3 }, totalRate: 0.7 * rate, spots: 1, movesEvery: 60 },
    ],
  };
}

/** Fewest and most seconds that a user stays. */
const [SHORT_STAY, LONG_STAY] = [120, 1200];

function manyUsers({ directories, rate, seconds, seed }: GenerateSettings): WorkloadDescription {
  const random = seededRandom(seed);
  const users = Math.max(1, Math.round(directories / 4));
  // A tenth of the users has most of the load: weights fall as in a Pareto distribution.
  const weights = Array.from({ length: users }, () => Math.min(100, (1 - random()) ** -0.8));
  const sum = total(weights);
  const loads = weights.flatMap((weight, index): LoadDescription[] => {
    const share = (1.5 * rate * weight) / sum;
    const stays: LoadDescription[] = [];
    // Users are there two thirds of the time.
    let from = Math.round(-SHORT_STAY * random());
    while (from < seconds) {
      const stay = SHORT_STAY + random() * (LONG_STAY - SHORT_STAY);
      const [begin, to] = [Math.max(0, from), Math.round(from + stay)];
      if (to > begin) {
        const within = { in: `/home/user${index + 1}/*`, from: begin, to };
        stays.push(
          { ...within, op: 'stat', totalRate: rounded(share * 0.7) },
          { ...within, op: 'open-write', totalRate: rounded(share * 0.2) },
          { ...within, op: 'readdir', totalRate: rounded(share * 0.005) },
        );
      }
      from = to + Math.round(stay * random());
    }
    return stays;
  });
  return {
    name: 'many-users',
    directories: [{ path: `/home/user{1..${users}}/d{1..3}`, files: 100 }],
    loads,
  };
}

const UNTAR_CLIENTS = 4;

function untar({ directories, rate, seconds, seed }: GenerateSettings): WorkloadDescription {
  const random = seededRandom(seed);
  const each = Math.max(1, Math.round(directories / UNTAR_CLIENTS));
  const clientRate = rate / UNTAR_CLIENTS;
  const described: DirectoryDescription[] = [{ path: `/untar{1..${UNTAR_CLIENTS}}/d{1..${each}}` }];
  const loads: LoadDescription[] = [];
  // Two requests for each file, and the last one is unpacked shortly before the end.
  const files = (0.9 * seconds * clientRate) / 2;
  for (let client = 1; client <= UNTAR_CLIENTS; client++) {
    const sizes = Array.from({ length: each }, () => 100 ** random());
    const sum = total(sizes);
    let from = 0;
    sizes.forEach((size, index) => {
      const to = from + (2 * files * size) / sum / clientRate;
      const span = { rate: clientRate / 2, from: rounded(from), to: rounded(to) };
      const within = { in: `/untar${client}/d${index + 1}`, ...span };
      if (span.to > span.from) loads.push({ ...within, op: 'create' }, { ...within, op: 'setattr' });
      from = to;
    });
  }
  return { name: 'untar', directories: described, loads };
}

const MDTEST_TASKS = 16;
/** Seconds of each of the three phases. */
const MDTEST_PHASE = 60;

function mdtest({ directories, rate, seconds }: GenerateSettings): WorkloadDescription {
  const each = Math.max(1, Math.round(directories / MDTEST_TASKS));
  const all = `/mdtest/task{1..${MDTEST_TASKS}}/d{1..${each}}`;
  const loads: LoadDescription[] = [];
  const phases = ['create', 'stat', 'unlink'] as const;
  for (let from = 0, phase = 0; from < seconds; from += MDTEST_PHASE, phase++) {
    const op = phases[phase % phases.length] ?? 'stat';
    loads.push({ in: '/mdtest/task*/d*', op, totalRate: rate, from, to: from + MDTEST_PHASE });
  }
  return { name: 'mdtest', directories: [{ path: all }], loads };
}

/** With digits enough. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
