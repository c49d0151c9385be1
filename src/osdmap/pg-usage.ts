/** What a cluster says of what its PGs and OSDs hold. */
import type { PgTable } from './model.ts';

/** What one PG holds. */
export interface PgUsage {
  /** Objects, once. */
  readonly objects: number;
  /** Bytes of the objects themselves, once; replicas and parity come on top. */
  readonly bytes: number;
}

/** An OSD's disk, in bytes. */
export interface OsdUsage {
  /** Size of the disk. */
  readonly total: number;
  /** Bytes in use. */
  readonly used: number;
}

/** What `ceph pg dump` says. */
export interface PgDump {
  /** What each PG holds. */
  readonly pgs: PgTable<PgUsage>;
  /** By OSD id; empty where the dump has no OSDs. */
  readonly osds: ReadonlyMap<number, OsdUsage>;
}
