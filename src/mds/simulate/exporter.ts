/**
 * Subtrees on their way from rank to rank. Follows `Migrator` (Ceph's src/mds/Migrator.cc) in what is sent when, and in
 * what waits; how long a step takes is told by {@link MigrationTimes}.
 */
import { CrushError } from '../../errors.ts';
import type { MdsOptions } from '../options.ts';
import { isExportable } from '../pins.ts';
import type { EventQueue } from './event-queue.ts';
import type { MetadataState } from './metadata-state.ts';
import type { PinBook } from './pin-book.ts';
import { titleOf } from './rank-view.ts';
import type { DroppedExport, Migration, MigrationCause } from './result.ts';
import { NO_NODE, type MigrationTimes } from './workload.ts';

/** Bytes that Ceph reckons for an inode and for a fragment; `maybe_split_export`. */
const INODE_BYTES = 1000;
const FRAGMENT_BYTES = 800;

/** Most exports of a simulation, with those that did not happen. */
const MAX_EXPORTS = 1_000_000;

/** What {@link Exporter} works with. */
export interface ExporterSettings {
  readonly state: MetadataState;
  readonly events: EventQueue;
  readonly pins: PinBook;
  readonly options: MdsOptions;
  readonly times: MigrationTimes;
}

interface QueuedExport {
  readonly fragment: number;
  /** What tells it from another fragment that has got its number since. */
  readonly title: string;
  readonly to: number;
  readonly cause: MigrationCause;
}

/** Exports of all ranks. */
export class Exporter {
  /** Number of the last beat, for the records. */
  beat = 0;
  readonly migrations: Migration[] = [];
  readonly dropped: DroppedExport[] = [];
  blockedRequests = 0;
  readonly #settings: ExporterSettings;
  readonly #queues: QueuedExport[][];
  /** By rank: bytes of what is being exported, and exports that have not begun to freeze. */
  readonly #exportingBytes: number[];
  readonly #locking: number[];

  constructor(settings: ExporterSettings) {
    this.#settings = settings;
    const { ranks } = settings.state;
    this.#queues = Array.from({ length: ranks }, () => []);
    this.#exportingBytes = Array.from({ length: ranks }, () => 0);
    this.#locking = Array.from({ length: ranks }, () => 0);
  }

  /** Forgets what a rank has not begun to export. Follows `Migrator::clear_export_queue`. */
  clearQueue(rank: number): void {
    for (const { title, to } of this.#queues[rank]?.splice(0) ?? []) this.#drop(title, rank, to, 'next-beat');
  }

  /** Exports a fragment when its turn comes. Follows `Migrator::export_dir_nicely`. */
  exportNicely(fragment: number, to: number, cause: MigrationCause): void {
    const { rank } = this.#settings.state.subtrees.of(fragment);
    this.#queues[rank]?.push({ fragment, title: titleOf(this.#settings.state, fragment), to, cause });
    this.#exportQueued(rank);
  }

  /** Exports a fragment now, if it may go. Follows `Migrator::export_dir`. */
  exportNow(fragment: number, to: number, cause: MigrationCause): void {
    const { state, events, pins, times } = this.#settings;
    const holder = state.subtrees.of(fragment);
    const from = holder.rank;
    if (to === from || to >= state.ranks) return;
    if (holder.isMoving) {
      this.#drop(titleOf(state, fragment), from, to, 'frozen');
      return;
    }
    const entries = state.popularity.entries('region', fragment);
    if (!isExportable(pins.rankOf(fragment), to) && entries > 0) {
      this.#drop(titleOf(state, fragment), from, to, 'pinned');
      return;
    }
    const begin = state.clock.now;
    const { beat } = this;
    const load = state.popularity.load(fragment);
    const subtree = state.subtrees.cut(fragment);
    subtree.isMoving = true;
    const bytes = entries * INODE_BYTES + FRAGMENT_BYTES;
    this.#add(from, bytes, 1);
    const parts = Math.max(1, Math.ceil(bytes / this.#settings.options.mds_max_export_size));
    const freeze = begin + times.discover;
    const commit = freeze + parts * times.freeze + entries * times.inode;
    // Each part waits only while it is sent itself.
    const blockedSeconds = (commit - freeze) / parts;
    events.add(freeze, () => {
      const blocked = state.popularity.requests('region', fragment) * blockedSeconds;
      this.#add(from, 0, -1);
      this.#exportQueued(from);
      events.add(commit, () => {
        this.#add(from, -bytes, 0);
        subtree.isMoving = false;
        state.meter.handOver(from, to, blocked);
        this.blockedRequests += blocked;
        const seconds = commit - begin;
        const path = titleOf(state, fragment);
        state.subtrees.move(subtree, to);
        this.#demandRoom();
        this.migrations.push({
          path,
          from,
          to,
          cause,
          beat,
          time: begin,
          seconds,
          load,
          entries,
          blockedRequests: blocked,
          blockedSeconds,
        });
        this.#exportQueued(from);
      });
    });
  }

  /** Follows `Migrator::maybe_do_queued_export`. */
  #exportQueued(rank: number): void {
    const { state, options } = this.#settings;
    const queue = this.#queues[rank] ?? [];
    const most = 2 * options.mds_max_export_size;
    for (;;) {
      const room = most - (this.#exportingBytes[rank] ?? 0);
      if (room <= 0 || room < options.mds_max_export_size * ((this.#locking[rank] ?? 0) + 1)) return;
      const next = queue.shift();
      if (next === undefined) return;
      const { fragment, title, to, cause } = next;
      const isThere = state.tree.directory[fragment] !== NO_NODE && titleOf(state, fragment) === title;
      if (isThere && state.subtrees.of(fragment).rank === rank) this.exportNow(fragment, to, cause);
      else this.#drop(title, rank, to, 'gone');
    }
  }

  #add(rank: number, bytes: number, locking: number): void {
    this.#exportingBytes[rank] = (this.#exportingBytes[rank] ?? 0) + bytes;
    this.#locking[rank] = (this.#locking[rank] ?? 0) + locking;
  }

  #drop(path: string, from: number, to: number, why: DroppedExport['why']): void {
    this.#demandRoom();
    this.dropped.push({ path, from, to, time: this.#settings.state.clock.now, why });
  }

  #demandRoom(): void {
    if (this.migrations.length + this.dropped.length < MAX_EXPORTS) return;
    throw new CrushError(
      'bad-argument',
      `there are more than ${MAX_EXPORTS} exports by beat ${this.beat}: simulate fewer beats`,
    );
  }
}
