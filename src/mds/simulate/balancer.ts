/** Beats of a simulation: heartbeats, decisions, and what is exported by them. Follows `MDBalancer` (Ceph's src/mds). */
import { importMapOf, isBeatDue } from '../heartbeat.ts';
import { addLoads, mdsLoad, metaLoad, NO_LOAD, type LoadVector, type MdsLoad } from '../load.ts';
import type { MdsOptions } from '../options.ts';
import { prepRebalance, type BeatDecision } from '../prep-rebalance.ts';
import { readRankMask, type RankMask } from '../rank-mask.ts';
import { tryRebalance } from '../try-rebalance.ts';
import type { Exporter } from './exporter.ts';
import type { MetadataState } from './metadata-state.ts';
import type { PinBook } from './pin-book.ts';
import { FragmentView, leastLoad, ownSubtrees, type HitOrder } from './rank-view.ts';
import type { BeatRecord, ChosenExport, RankBeat, RankLoad } from './result.ts';
import type { Workload } from './workload.ts';

/** What {@link Balancer} works with. */
export interface BalancerSettings {
  readonly state: MetadataState;
  readonly exporter: Exporter;
  readonly pins: PinBook;
  readonly options: MdsOptions;
  readonly workload: Workload;
  readonly hitOrder: HitOrder;
  readonly draw: () => number;
  /** Number of the first beat. */
  readonly firstBeat: number;
  /** Whether ranks act on heartbeats at all (`balance_automate`). */
  readonly isBalanced: boolean;
}

/** The balancers of all ranks. */
export class Balancer {
  readonly records: BeatRecord[] = [];
  readonly #settings: BalancerSettings;
  readonly #mask: RankMask;
  readonly #lastUnder: ReadonlyMap<number, number>[];
  #lastTime: number | undefined;
  #served: number[];
  #sent = 0;

  constructor(settings: BalancerSettings) {
    this.#settings = settings;
    const { ranks } = settings.state;
    this.#mask = readRankMask(settings.workload.rankMask, ranks);
    this.#lastUnder = Array.from({ length: ranks }, () => new Map());
    this.#served = Array.from({ length: ranks }, () => 0);
  }

  /** Seconds since the last beat; the first is an interval after the start, or at once. */
  #sinceLast(): number {
    const { state, workload } = this.#settings;
    return this.#lastTime === undefined && workload.isSettled
      ? Infinity
      : state.clock.now - (this.#lastTime ?? 0);
  }

  /** Whether a beat is to be recorded now: every `mds_bal_interval` seconds, or every ten where it is off. */
  get isDue(): boolean {
    const { mds_bal_interval } = this.#settings.options;
    return Math.floor(this.#sinceLast()) >= (mds_bal_interval > 0 ? mds_bal_interval : 10);
  }

  /** Heartbeats of all ranks at once, and what each of them does then. */
  beat(): void {
    const { state, options, exporter, firstBeat, isBalanced } = this.#settings;
    const isSent = isBalanced && isBeatDue(this.#sinceLast(), this.#sent, state.clock.now, options);
    if (isSent) this.#sent++;
    const beat = firstBeat + this.records.length;
    exporter.beat = beat;
    const loads = this.#heartbeats();
    const importMaps = new Map(loads.map((_, rank) => [rank, this.#importMap(rank)]));
    const shared = { beat, loads, importMaps, mask: this.#mask };
    const before = loads.map((load, rank) => this.#rankLoad(rank, load));
    const ranks = before.map((load, rank): RankBeat => {
      if (!isSent) return { ...load, verdict: undefined, targetLoad: 0, wants: [], chosen: [] };
      exporter.clearQueue(rank);
      const lastUnder = this.#lastUnder[rank] ?? new Map<number, number>();
      const decision = prepRebalance({ ...shared, whoami: rank, lastUnder }, options);
      this.#lastUnder[rank] = decision.lastUnder;
      const { verdict, targetLoad, targets } = decision;
      const wants = [...targets].map(([to, amount]) => ({ to, amount }));
      return { ...load, verdict, targetLoad, wants, chosen: this.#rebalance(rank, decision) };
    });
    this.records.push({ beat, time: state.clock.now, ranks });
  }

  /** Loads of all ranks now, without a beat. */
  loads(): RankLoad[] {
    return this.#heartbeats().map((load, rank) => this.#rankLoad(rank, load));
  }

  /** Follows `MDBalancer::get_load`. */
  #heartbeats(): MdsLoad[] {
    const { state, workload } = this.#settings;
    const seconds =
      this.#lastTime === undefined && workload.isSettled ? 0 : state.clock.now - (this.#lastTime ?? 0);
    this.#lastTime = state.clock.now;
    const auth: LoadVector[] = this.#served.map(() => NO_LOAD);
    for (const { fragment, rank } of state.subtrees.all) {
      auth[rank] = addLoads(auth[rank] ?? NO_LOAD, state.popularity.vector('region', fragment));
    }
    return auth.map((own, rank) => {
      const background = workload.background.find((each) => each.rank === rank);
      const served = state.meter.served(rank);
      const requests = seconds > 0 ? (served - (this.#served[rank] ?? 0)) / seconds : state.meter.rate(rank);
      this.#served[rank] = served;
      const requestRate = Math.max(0, requests) + (background?.requests ?? 0);
      const held = addLoads(own, background?.auth ?? NO_LOAD);
      return {
        auth: held,
        all: addLoads(held, background?.foreign ?? NO_LOAD),
        requestRate,
        cacheHitRate: 0,
        queueLength: this.records.length === 0 ? (background?.firstQueueLength ?? 0) : 0,
        cpuLoad: requestRate * workload.cpuTicksPerRequest,
      };
    });
  }

  #importMap(rank: number): ReadonlyMap<number, number> {
    const { subtrees, popularity } = this.#settings.state;
    const first = this.#settings.workload.background.find((each) => each.rank === rank)?.firstImports;
    if (first !== undefined && this.records.length === 0) return first;
    const imports = [...subtrees.ofRank(rank)].map((subtree) => ({
      from: subtrees.above(subtree)?.rank ?? rank,
      load: popularity.vector('region', subtree.fragment),
    }));
    return importMapOf(rank, imports);
  }

  #rankLoad(rank: number, load: MdsLoad): RankLoad {
    const { state, options } = this.#settings;
    return {
      rank,
      mdsLoad: mdsLoad(load, options.mds_bal_mode),
      metaLoad: metaLoad(load.auth),
      auth: load.auth,
      requestRate: load.requestRate,
      subtrees: state.subtrees.ofRank(rank).size,
    };
  }

  /** Chooses what to export, and sends it on its way. */
  #rebalance(rank: number, { verdict, targets, targetLoad }: BeatDecision): ChosenExport[] {
    const { state, options, pins, exporter, hitOrder, draw } = this.#settings;
    if (verdict !== 'exporting' || targets.size === 0) return [];
    const least = leastLoad(targets.values(), options);
    const own = ownSubtrees(rank, { state, pins, options, hitOrder, draw, leastLoad: least });
    const { idleReturns, shipments } = tryRebalance(rank, targets, targetLoad, own, options);
    const chosen: (ChosenExport & { readonly fragment: number })[] = [];
    const choose = (root: object, to: number, cause: ChosenExport['cause']): void => {
      if (!(root instanceof FragmentView)) return;
      chosen.push({ fragment: root.fragment, path: root.name, load: root.load, to, cause });
    };
    for (const { root, to } of idleReturns) choose(root, to, 'idle');
    for (const outcome of ['returned', 'sent-on'] as const) {
      for (const { to, imports } of shipments) {
        for (const each of imports) if (each.outcome === outcome) choose(each.root, to, outcome);
      }
    }
    for (const { to, exports } of shipments) for (const root of exports) choose(root, to, 'exported');
    for (const { fragment, to, cause } of chosen) exporter.exportNicely(fragment, to, cause);
    return chosen.map(({ path, load, to, cause }) => ({ path, load, to, cause }));
  }
}
