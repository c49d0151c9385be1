/** What clients ask for, and which counters of a directory it hits. Follows the calls of `hit_inode` and `hit_dir` in `Server` (Ceph's src/mds/Server.cc). */
import type { LoadVector } from '../load.ts';

/** What one operation on an entry of a directory does. */
export interface Operation {
  /** Hits of the directory's counters. */
  readonly hits: LoadVector;
  /** Whether these are as many as there are entries. */
  readonly isPerEntry: boolean;
  /** Whether a client asks for it; ranks do the rest by themselves. */
  readonly isRequest: boolean;
  /** Entries it adds. */
  readonly growth: -1 | 0 | 1;
}

function request(hits: LoadVector, growth: -1 | 0 | 1 = 0): Operation {
  return { hits, growth, isPerEntry: false, isRequest: true };
}

/** Operations by name. */
export const OPERATIONS = {
  /** Attributes of an entry, or its lookup. */
  stat: request([1, 0, 0, 0, 0]),
  open: request([1, 0, 0, 0, 0]),
  'open-write': request([0, 1, 0, 0, 0]),
  setattr: request([0, 1, 0, 0, 0]),
  create: request([0, 1, 0, 0, 0], 1),
  mkdir: request([0, 1, 0, 0, 0], 1),
  unlink: request([0, 1, 0, 0, 0], -1),
  rmdir: request([0, 1, 0, 0, 0], -1),
  /** Within the directory. */
  rename: request([0, 1, 0, 0, 0]),
  /** The inode and the directory of the new name are hit each; here both are in one directory. */
  link: request([0, 2, 0, 0, 0], 1),
  /** All of a directory: its counter gets as many hits as it has entries. */
  readdir: { hits: [0, 0, 1, 0, 0], growth: 0, isPerEntry: true, isRequest: true },
  /** The directory is read from the metadata pool. */
  fetch: { hits: [0, 0, 0, 1, 0], growth: 0, isPerEntry: false, isRequest: false },
  /** The directory is written to the metadata pool. */
  store: { hits: [0, 0, 0, 0, 1], growth: 0, isPerEntry: false, isRequest: false },
} as const satisfies Record<string, Operation>;

/** Name of an operation. */
export type OperationName = keyof typeof OPERATIONS;

/** Names of all operations. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];
