/** What an explanation tells of a PG besides its rule: its seed, and what the OSDMap lays over the rule's choice. */
import type { PgId } from '../../osdmap/model.ts';
import type { RuleTrace } from './trace-rule.ts';

/** From an object's name to its PG. */
export interface ObjectTrace {
  /** Name of the object. */
  readonly name: string;
  /** Its RADOS namespace, where it has one. */
  readonly namespace?: string;
  /** Its locator key, where it has one. */
  readonly key?: string;
  /** The pool's object hash. */
  readonly algorithm: 'rjenkins' | 'linux';
  /** Hash of the key, or else the name, after the namespace and 0x1f where there is one. */
  readonly hash: number;
  /** The hash, folded to pg_num. */
  readonly ps: number;
}

/** From a PG to the input of its rule. */
export interface SeedTrace {
  /** Placement seed that was asked for. */
  readonly asked: number;
  /** The PG that it belongs to: the same, or where it is beyond pg_num, folded (`ceph_stable_mod`). */
  readonly ps: number;
  /** PGs of the pool. */
  readonly pgNum: number;
  /** PGs that are placed apart. */
  readonly pgpNum: number;
  /** The placement seed folded to pgp_num. */
  readonly folded: number;
  /** With the flag x = hash(folded, pool), else folded + pool. */
  readonly hashpspool: boolean;
  /** The input, a signed 32-bit number. */
  readonly x: number;
}

/** What became of one OSD or one pair of an exception. */
export type OverlayStep =
  /** OSDs that do not exist. */
  | { readonly kind: 'exists'; readonly removed: readonly number[]; readonly set: readonly number[] }
  /** pg_upmap: the whole set. */
  | {
      readonly kind: 'upmap';
      readonly osds: readonly number[];
      readonly applied: boolean;
      /** OSDs of it that are out, for which it is ignored, and upmap items and primary with it. */
      readonly out: readonly number[];
      readonly set: readonly number[];
    }
  /** pg_upmap_items. */
  | {
      readonly kind: 'upmap-items';
      readonly pairs: readonly UpmapPairTrace[];
      readonly set: readonly number[];
    }
  /** pg_upmap_primary. */
  | {
      readonly kind: 'upmap-primary';
      readonly osd: number;
      readonly result: 'applied' | 'upmap-ignored' | 'no-such-osd' | 'not-in-set' | 'first-already' | 'out';
      readonly set: readonly number[];
    }
  /** OSDs that are down. */
  | { readonly kind: 'down'; readonly removed: readonly number[]; readonly set: readonly number[] }
  /** Primary affinity. */
  | {
      readonly kind: 'affinity';
      readonly asked: readonly AffinityTrace[];
      /** Every OSD refused, so the first that was asked is primary. */
      readonly byDefault: boolean;
      readonly primary: number;
      readonly set: readonly number[];
    }
  /** pg_temp. */
  | {
      readonly kind: 'pg-temp';
      readonly osds: readonly number[];
      /** OSDs of it that are down or do not exist. */
      readonly removed: readonly number[];
      /** False where nothing of it is left. */
      readonly applied: boolean;
      /** EC-optimised pools: it was stored with the shards first that can be primary. */
      readonly reordered: boolean;
      readonly set: readonly number[];
    }
  /** primary_temp. */
  | { readonly kind: 'primary-temp'; readonly osd: number; readonly applied: boolean };

/** A pair of pg_upmap_items. */
export interface UpmapPairTrace {
  /** The OSD to replace. */
  readonly from: number;
  /** The OSD to put in its place. */
  readonly to: number;
  /** Whether it was, or why not. */
  readonly result: 'applied' | 'upmap-ignored' | 'target-in-set' | 'target-out' | 'source-not-in-set';
}

/** How an OSD answers whether it is primary. */
export interface AffinityTrace {
  /** The OSD that was asked. */
  readonly osd: number;
  /** 16.16. */
  readonly affinity: number;
  /** Upper 16 bits of hash(x, osd), where they decide: below the affinity the OSD is primary. */
  readonly hash?: number;
  /** Its answer. */
  readonly accepts: boolean;
}

/** The pool of a PG, as far as placement goes. */
export interface PoolTrace {
  /** Id of the pool. */
  readonly id: number;
  /** Its name. */
  readonly name: string;
  /** Its type. */
  readonly type: 'replicated' | 'erasure';
  /** Shards of a PG. */
  readonly size: number;
  /** Number of its rule. */
  readonly crushRule: number;
}

/** How a PG comes to its OSDs. */
export interface PgTrace {
  /** The PG. */
  readonly pgid: PgId;
  /** Its pool. */
  readonly pool: PoolTrace;
  /** Absent where a PG was asked for. */
  readonly object?: ObjectTrace;
  /** How it becomes the input of the rule. */
  readonly seed: SeedTrace;
  /** How the rule was found: by its number, or as releases up to 16 do, by ruleset, type and size. */
  readonly ruleBy: 'number' | 'ruleset';
  /** What the rule does with it. */
  readonly crush: RuleTrace;
  /** What the OSDMap lays over the rule's choice; only what changes something or might have. */
  readonly overlay: readonly OverlayStep[];
  /** What the rule gives, without OSDs that do not exist. */
  readonly raw: readonly number[];
  /** The first OSD of that, or -1. */
  readonly rawPrimary: number;
  /** After upmaps, without OSDs that are down. */
  readonly up: readonly number[];
  /** The OSD that leads the up set, or -1. */
  readonly upPrimary: number;
  /** After temps: the OSDs that serve the PG. */
  readonly acting: readonly number[];
  /** The OSD that leads them, or -1. */
  readonly actingPrimary: number;
}
