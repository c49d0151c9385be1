/**
 * The floor: how many shards any correct placement would have to move, whatever chose it.
 *
 * Correct is a placement that (1) puts each PG where its rule allows, on as many OSDs as Ceph's own new placement
 * does, and (2) gives each OSD of a pool a number of shards between its fair share by weight and what Ceph's own new
 * placement gives it: it is nowhere less balanced than that. Ceph's placement is correct by this, so that the floor
 * is never above what moves. Two bounds hold for each pool, and the greater is its floor.
 *
 * - By rule: of a PG's former OSDs at most so many can stay as the rule allows together (`RuleRoom.mostKept`); those
 *   of the new set beyond that number have to come anew. Summed over PGs, and at most what moved of each: where the
 *   rule is not kept to, as by a forced upmap, what Ceph did is taken for correct.
 * - By weight: OSD o held b shards, gets a from Ceph, and its fair share is e. Then at least ceil(min(a, e)) - b have
 *   to come to it, and at least b - floor(max(a, e)) have to leave it; sums over all OSDs bound what is copied, the
 *   second after adding what the pool has more of in all.
 */
import type { RuleRoom } from '../../osdmap/rule-room.ts';
import { filledPlaces } from './movement.ts';

/** The least that has to move of a pool, in shards. */
export interface Floor {
  /** Both together. */
  readonly shards: number;
  /** Because OSDs are gone or out, or may not serve a PG together under its rule. */
  readonly byRule: number;
  /** Because OSDs' fair shares are others. */
  readonly byWeight: number;
}

/** Sums up the floor of one pool. */
export class PoolFloor {
  readonly #room: RuleRoom;
  readonly #ordered: boolean;
  #byRule = 0;

  /** @param room - what the pool's rule allows in the map after */
  constructor(room: RuleRoom, ordered: boolean) {
    this.#room = room;
    this.#ordered = ordered;
  }

  /** Adds a PG that has changed. */
  add(before: readonly number[], after: readonly number[], moved: number): void {
    if (moved === 0) return;
    // What the pool's size has no place for cannot stay.
    const kept = this.#room.mostKept(
      before.slice(0, this.#ordered ? after.length : before.length),
      this.#ordered,
    );
    this.#byRule += Math.min(moved, Math.max(0, filledPlaces(after) - kept));
  }

  /**
   * @param units - PGs compared, changed or not
   * @param before - shards on each OSD
   */
  finish(units: number, before: Uint32Array, after: Uint32Array): Floor {
    const expected = this.#room.expectedShards();
    let coming = 0;
    let leaving = 0;
    let more = 0;
    for (let osd = 0; osd < Math.max(before.length, after.length); osd++) {
      const held = before[osd] ?? 0;
      const given = after[osd] ?? 0;
      const fair = (expected.get(osd) ?? 0) * units;
      coming += Math.max(0, Math.ceil(Math.min(given, fair)) - held);
      leaving += Math.max(0, held - Math.floor(Math.max(given, fair)));
      more += given - held;
    }
    const byRule = this.#byRule;
    const byWeight = Math.max(0, coming, leaving + more);
    return { shards: Math.max(byRule, byWeight), byRule, byWeight };
  }
}
