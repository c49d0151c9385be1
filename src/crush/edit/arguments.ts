/** What the editor takes. */
import type { BUCKET_ALGORITHM } from '../model.ts';

/** A place in the hierarchy: names of buckets by their types, such as `{ host: 'node-3', root: 'default' }`. */
export type CrushLocation = Readonly<Record<string, string>>;

/** A device to add. */
export interface NewDevice {
  /** Default: the lowest number that is free. */
  readonly id?: number;
  /** Default: `osd.` and the number. */
  readonly name?: string;
  /** In units, which by custom are TiB: 0 to 32767.99. */
  readonly weight: number;
  /** Buckets of the location that do not exist are made. */
  readonly location: CrushLocation;
  /** Such as `hdd`; default: none. */
  readonly deviceClass?: string;
}

/** A bucket to add. */
export interface NewCrushBucket {
  /** Its name, unique in the map. */
  readonly name: string;
  /** Name of its type, such as `host`. */
  readonly type: string;
  /** Default: a root of its own. */
  readonly location?: CrushLocation;
  /** Default: the best that the tunable `allowedBucketAlgs` allows, which is straw2 in maps of this decade. */
  readonly algorithm?: keyof typeof BUCKET_ALGORITHM;
}

/** A rule to add. */
export interface NewRule {
  /** Its name, unique among rules. */
  readonly name: string;
  /** Name of the bucket below which to choose, such as `default`. */
  readonly root: string;
  /** Type of bucket of which no two OSDs of a PG may share one; default: `host`. */
  readonly failureDomain?: string;
  /** Choose only devices of this class. */
  readonly deviceClass?: string;
  /** `replicated` (default) or `erasure`, which keeps each OSD's position and tries harder. */
  readonly kind?: 'replicated' | 'erasure';
  /** How many failure domains to choose; default: as many as the pool wants OSDs. */
  readonly failureDomains?: number;
  /** How many OSDs to choose in each (an MSR rule, for Squid and later); default: one. */
  readonly osdsPerFailureDomain?: number;
}
