/** How full OSDs are before and after changes. */
import type { OsdMap } from '../../osdmap/model.ts';
import { OSD_STATE } from '../../osdmap/model.ts';
import type { PgDump } from '../../osdmap/pg-usage.ts';
import type { Comparison } from '../compare.ts';

/** One OSD's load. */
export interface OsdFill {
  /** Its id. */
  readonly osd: number;
  /** Shards on it before the changes. */
  readonly shardsBefore: number;
  /** Shards on it after them. */
  readonly shardsAfter: number;
  /** Bytes that its PGs put on it; undefined without a PG dump. */
  readonly bytesBefore: number | undefined;
  /** The same after the changes. */
  readonly bytesAfter: number | undefined;
  /**
   * Part of its disk in use, 0 to 1 and beyond: what the dump says, and that with the bytes that come and go.
   * Undefined where the dump does not know its size.
   */
  readonly usedBefore: number | undefined;
  /** The same after the changes. */
  readonly usedAfter: number | undefined;
}

/** The load of each OSD that is there, or holds anything, in either map. */
export function osdFills(
  before: OsdMap,
  after: OsdMap,
  { osds }: Comparison,
  pgDump: PgDump | undefined,
): OsdFill[] {
  const fills: OsdFill[] = [];
  for (let osd = 0; osd < osds.shardsBefore.length; osd++) {
    const shardsBefore = osds.shardsBefore[osd] ?? 0;
    const shardsAfter = osds.shardsAfter[osd] ?? 0;
    const exists = ((before.osdState[osd] ?? 0) | (after.osdState[osd] ?? 0)) & OSD_STATE.exists;
    if (exists === 0 && shardsBefore + shardsAfter === 0) continue;
    const bytesBefore = pgDump && (osds.bytesBefore[osd] ?? 0);
    const bytesAfter = pgDump && (osds.bytesAfter[osd] ?? 0);
    const disk = pgDump?.osds.get(osd);
    const isKnown = disk !== undefined && disk.total > 0;
    fills.push({
      osd,
      shardsBefore,
      shardsAfter,
      bytesBefore,
      bytesAfter,
      usedBefore: isKnown ? disk.used / disk.total : undefined,
      usedAfter: isKnown ? (disk.used + (bytesAfter ?? 0) - (bytesBefore ?? 0)) / disk.total : undefined,
    });
  }
  return fills;
}
