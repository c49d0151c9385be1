/**
 * What the metadata servers and their monitor print: `ceph tell mds.N dump loads`, `get subtrees`, `dump tree`, and
 * `ceph fs dump`, each with `-f json` or without.
 */
import * as v from 'valibot';
import { CrushError } from '../errors.ts';
import type { LoadVector, MdsLoad } from '../mds/load.ts';
import { MAX_MDS } from '../mds/rank-mask.ts';
import {
  encodeFragment,
  type DirectoryReport,
  type FileSystemReport,
  type FragmentState,
  type LoadsReport,
  type SubtreeReport,
} from '../mds/reports.ts';
import { checkShape } from './json-input.ts';
import { parseMdsJson } from './mds-json-text.ts';

/** What a file of the metadata servers holds. */
export type MdsDocument =
  | { readonly kind: 'loads'; readonly loads: LoadsReport }
  | { readonly kind: 'subtrees'; readonly subtrees: readonly SubtreeReport[] }
  | { readonly kind: 'tree'; readonly directories: readonly DirectoryReport[] }
  | { readonly kind: 'fs-dump'; readonly fileSystems: readonly FileSystemReport[] };

/**
 * Reads any of these documents; each is known by what is in it.
 *
 * @throws CrushError `malformed` for damaged JSON, with the path of what does not fit; `unknown-kind` for JSON of
 *   another command
 */
export function readMdsJson(text: string): MdsDocument {
  const json = parseMdsJson(text);
  if (Array.isArray(json)) return readList(json);
  if (hasKey(json, 'dirfrags') && hasKey(json, 'mds_load')) return { kind: 'loads', loads: readLoads(json) };
  if (hasKey(json, 'filesystems')) return { kind: 'fs-dump', fileSystems: readFileSystems(json) };
  if (hasKey(json, 'dirfrags') && hasKey(json, 'ino')) return readList([json]);
  throw unknownKind();
}

function readList(json: readonly unknown[]): MdsDocument {
  const [first] = json;
  // A rank always has its own directory, so that an empty list is that of an empty tree.
  if (first === undefined || hasKey(first, 'ino')) return { kind: 'tree', directories: readTree(json) };
  if (hasKey(first, 'auth_first')) return { kind: 'subtrees', subtrees: readSubtrees(json) };
  throw unknownKind();
}

function unknownKind(): CrushError {
  return new CrushError(
    'unknown-kind',
    "this JSON is of none of 'ceph tell mds.N dump loads', 'get subtrees', 'dump tree' and 'ceph fs dump'",
  );
}

function hasKey(json: unknown, key: string): json is object {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, key);
}

/** A popularity or rate: what JSON cannot hold counts as none. */
const amount = v.pipe(
  v.nullable(v.number()),
  v.transform((value) => value ?? 0),
  v.maxValue(1e15, 'a load is below 1e15'),
  v.minValue(0, 'a load is never below 0'),
);
const rank = v.pipe(v.number(), v.integer(), v.minValue(-0x80000000), v.maxValue(0x7fffffff));
const counter = v.object({ value: amount, halflife: v.nullable(v.number()) });
const counters = v.object({ 'Decay Counters': v.tuple([counter, counter, counter, counter, counter]) });

/** Inode number and fragment: `0x10000000000`, or `0x10000000000.01*`. */
const dirfrag = v.pipe(
  v.string(),
  v.regex(
    /^0x[0-9a-f]{1,16}(\.[01]{0,24}\*)?$/,
    "a fragment is an inode number such as 0x1, maybe with '.01*'",
  ),
  v.transform((text) => {
    const [ino = '', name = '*'] = text.split('.');
    return { ino: BigInt(ino), fragment: encodeFragment(name) ?? 0 };
  }),
);

/** Most directories that one may lie in: searches descend as deep. */
const MAX_DEPTH = 1000;
const path = v.pipe(
  v.string(),
  v.check((text) => isShallow(text), `a directory lies in at most ${MAX_DEPTH} others`),
);

function isShallow(text: string): boolean {
  let depth = 0;
  for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
    if (++depth > MAX_DEPTH) return false;
  }
  return true;
}

const loadsShape = v.object({
  dirfrags: v.array(
    v.object({
      path,
      dirfrag,
      pop_me: counters,
      pop_nested: counters,
      pop_auth_subtree: counters,
      pop_auth_subtree_nested: counters,
    }),
  ),
  mds_load: v.record(
    v.string(),
    v.object({
      request_rate: amount,
      cache_hit_rate: amount,
      queue_length: amount,
      cpu_load: amount,
      auth_dirfrags: counters,
      all_dirfrags: counters,
    }),
  ),
  mds_meta_load: v.record(v.string(), amount),
  mds_import_map: v.record(v.string(), v.array(v.record(v.string(), amount))),
});

function readLoads(json: object): LoadsReport {
  const report = checkShape(loadsShape, json, 'dump loads');
  const [first] = report.dirfrags;
  return {
    fragments: report.dirfrags.map((fragment) => ({
      path: fragment.path,
      ...fragment.dirfrag,
      popMe: vector(fragment.pop_me),
      popNested: vector(fragment.pop_nested),
      popAuthSubtree: vector(fragment.pop_auth_subtree),
      popAuthSubtreeNested: vector(fragment.pop_auth_subtree_nested),
    })),
    loads: byRank(report.mds_load, (load): MdsLoad => ({
      auth: vector(load.auth_dirfrags),
      all: vector(load.all_dirfrags),
      requestRate: load.request_rate,
      cacheHitRate: load.cache_hit_rate,
      queueLength: load.queue_length,
      cpuLoad: load.cpu_load,
    })),
    metaLoads: byRank(report.mds_meta_load, (load) => load),
    importMaps: byRank(report.mds_import_map, (sources) => {
      const all = sources.flatMap((source) => Object.entries(source));
      return byRank(Object.fromEntries(all), (load) => load);
    }),
    halflife: first?.pop_me['Decay Counters'][0].halflife ?? undefined,
  };
}

function vector({ 'Decay Counters': [a, b, c, d, e] }: v.InferOutput<typeof counters>): LoadVector {
  return [a.value, b.value, c.value, d.value, e.value];
}

/** Keys such as `mds.3` as ranks. */
function byRank<In, Out>(record: Readonly<Record<string, In>>, read: (value: In) => Out): Map<number, Out> {
  const map = new Map<number, Out>();
  for (const [key, value] of Object.entries(record)) {
    const digits = /^mds\.(\d{1,3})$/.exec(key)?.[1];
    if (digits === undefined || Number(digits) >= MAX_MDS)
      throw new CrushError('malformed', `'${key}' is no rank such as mds.0`, { path: 'dump loads' });
    map.set(Number(digits), read(value));
  }
  return new Map([...map].sort(([a], [b]) => a - b));
}

const fragmentState = v.object({
  path,
  dirfrag,
  is_auth: v.boolean(),
  is_rep: v.boolean(),
  is_frozen: v.boolean(),
  is_freezing: v.boolean(),
});

const subtreesShape = v.array(
  v.object({
    is_auth: v.boolean(),
    auth_first: rank,
    auth_second: rank,
    export_pin: rank,
    distributed_ephemeral_pin: v.optional(v.boolean(), false),
    random_ephemeral_pin: v.optional(v.boolean(), false),
    export_pin_target: v.optional(rank),
    dir: fragmentState,
  }),
);

/** What Ceph has in the place of a second authority where there is none. */
const NO_SECOND_AUTHORITY = -2;

function readSubtrees(json: readonly unknown[]): SubtreeReport[] {
  return checkShape(subtreesShape, json, 'get subtrees').map((subtree) => ({
    ...stateOf(subtree.dir),
    isAuth: subtree.is_auth,
    authority: subtree.auth_first,
    isMoving: subtree.auth_second !== NO_SECOND_AUTHORITY,
    pin: subtree.export_pin,
    isDistributed: subtree.distributed_ephemeral_pin,
    isRandomlyPinned: subtree.random_ephemeral_pin,
    pinTarget: subtree.export_pin_target ?? subtree.export_pin,
  }));
}

function stateOf(dir: v.InferOutput<typeof fragmentState>): FragmentState {
  return {
    path: dir.path,
    ...dir.dirfrag,
    isAuth: dir.is_auth,
    isReplicated: dir.is_rep,
    isFrozen: dir.is_frozen || dir.is_freezing,
  };
}

const treeShape = v.array(
  v.object({
    ino: v.pipe(
      v.number(),
      v.check((ino) => Number.isSafeInteger(ino) && ino >= 0, 'an inode number is a whole number below 2^53'),
    ),
    export_pin: v.optional(rank, -1),
    export_ephemeral_distributed_pin: v.optional(v.boolean(), false),
    export_ephemeral_random_pin: v.optional(amount, 0),
    dirfrags: v.optional(v.array(fragmentState), []),
  }),
);

function readTree(json: readonly unknown[]): DirectoryReport[] {
  return checkShape(treeShape, json, 'dump tree').map((inode) => ({
    ino: BigInt(inode.ino),
    pin: inode.export_pin,
    isDistributed: inode.export_ephemeral_distributed_pin,
    random: inode.export_ephemeral_random_pin,
    fragments: inode.dirfrags.map(stateOf),
  }));
}

const fsDumpShape = v.object({
  filesystems: v.array(
    v.object({
      id: v.number(),
      mdsmap: v.object({
        fs_name: v.string(),
        max_mds: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_MDS)),
        in: v.array(v.pipe(rank, v.minValue(0), v.maxValue(MAX_MDS - 1))),
        info: v.record(v.string(), v.object({ name: v.string(), rank })),
        bal_rank_mask: v.optional(v.string()),
        balancer: v.optional(v.string(), ''),
        flags_state: v.optional(v.record(v.string(), v.unknown()), {}),
      }),
    }),
  ),
});

function readFileSystems(json: object): FileSystemReport[] {
  return checkShape(fsDumpShape, json, 'fs dump').filesystems.map(({ id, mdsmap }) => ({
    id,
    name: mdsmap.fs_name,
    maxMds: mdsmap.max_mds,
    ranks: mdsmap.in.toSorted((a, b) => a - b),
    names: new Map(Object.values(mdsmap.info).map(({ rank: held, name }) => [held, name])),
    rankMask: mdsmap.bal_rank_mask,
    isBalanced:
      typeof mdsmap.flags_state.balance_automate === 'boolean'
        ? mdsmap.flags_state.balance_automate
        : undefined,
    balancer: mdsmap.balancer,
  }));
}
