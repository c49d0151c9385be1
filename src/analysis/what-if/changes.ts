/** Changes to a cluster, as plain data. */
import type { CrushMap } from '../../crush/model.ts';
import type { TunablesProfile } from '../../crush/tunables.ts';
import type { PgId } from '../../osdmap/model.ts';

/** A place in the hierarchy: names of buckets by the names of their types. */
export type ChangeLocation = Readonly<Record<string, string>>;

/** Fields of a pool that can be changed. */
export const POOL_CHANGE_FIELDS = ['rule', 'size', 'min_size', 'pg_num', 'pgp_num'] as const;
/** One of them. */
export type PoolChangeField = (typeof POOL_CHANGE_FIELDS)[number];

/**
 * A change to a cluster. Targets are OSDs, by `osd.3` or `3`, runs of them, by `osd.3-7`, and buckets, which stand
 * for all OSDs below them.
 */
export type MapChange =
  /** `ceph osd out` and its like; a bucket's OSDs all. */
  | { readonly kind: 'out' | 'in' | 'up' | 'down'; readonly targets: readonly string[] }
  /** `ceph osd reweight`, `ceph osd primary-affinity`: 0 to 1. */
  | {
      readonly kind: 'reweight' | 'primary-affinity';
      readonly targets: readonly string[];
      readonly weight: number;
    }
  /**
   * `ceph osd crush reweight`. A bucket comes to weigh so much in all, and its OSDs their parts of that in the
   * proportion they have now.
   */
  | { readonly kind: 'crush-weight'; readonly name: string; readonly weight: number }
  /** `ceph osd crush reweight-subtree`: each OSD below a bucket weighs so much. */
  | { readonly kind: 'reweight-subtree'; readonly name: string; readonly weight: number }
  /** OSDs that come up and in: `ceph osd crush add`. Buckets of the location that do not exist are made. */
  | {
      readonly kind: 'add-osds';
      readonly osds: readonly number[];
      readonly weight: number;
      readonly deviceClass?: string;
      readonly location: ChangeLocation;
    }
  /** `ceph osd crush add-bucket` and `move`. */
  | {
      readonly kind: 'add-bucket';
      readonly name: string;
      readonly type: string;
      readonly location?: ChangeLocation;
    }
  /** `ceph osd purge`; a bucket goes with all below it. */
  | { readonly kind: 'remove'; readonly targets: readonly string[] }
  /** `ceph osd crush move`. */
  | { readonly kind: 'move'; readonly names: readonly string[]; readonly location: ChangeLocation }
  /** `ceph osd crush set-device-class`; undefined takes the class away. */
  | {
      readonly kind: 'device-class';
      readonly targets: readonly string[];
      readonly deviceClass: string | undefined;
    }
  /** `ceph osd pool set`; a rule by name or number. pgp_num follows pg_num where the two were the same. */
  | {
      readonly kind: 'pool';
      readonly pool: string;
      readonly field: PoolChangeField;
      readonly value: string;
    }
  /** The rule chooses its OSDs from other buckets: of this type, no two of a PG's in the same. */
  | { readonly kind: 'failure-domain'; readonly rule: string; readonly type: string }
  /** `ceph osd crush tunables`. */
  | { readonly kind: 'tunables'; readonly profile: TunablesProfile }
  /** `ceph osd setcrushmap`. */
  | { readonly kind: 'crushmap'; readonly crush: CrushMap }
  /** `ceph osd pg-upmap`, `pg-upmap-items` and their removal. */
  | { readonly kind: 'upmap'; readonly pg: PgId; readonly osds: readonly number[] }
  | {
      readonly kind: 'upmap-items';
      readonly pg: PgId;
      readonly pairs: readonly (readonly [number, number])[];
    }
  | { readonly kind: 'rm-upmap' | 'rm-upmap-items'; readonly pg: PgId };
