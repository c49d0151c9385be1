import {
  applyIncremental,
  checkFullCrc,
  createMapper,
  CrushError,
  readIncremental,
  readMapFile,
  Session,
} from 'crush-wasm';

/**
 * Follows a cluster's OSDMap: takes whole maps and incrementals in any order, and keeps a mapper of the newest epoch
 * that they lead to. A map is used as a whole or not at all: what is damaged, of another cluster or cannot be mapped
 * from is a problem to tell of, and the last good map answers on.
 */
export class Follower {
  /** @type {State | undefined} */
  #state;
  /** Where every PG lies, which says what an epoch has moved. */
  #session;
  /** The newest whole maps that were read and not used yet, the newest first: there is a next where one is of no use. */
  #fulls = [];
  /** Incrementals that the map has not come to yet, by epoch. */
  #incrementals = new Map();
  #problems = new Map();
  #log;

  /** @param {(line: string) => void} log */
  constructor(log = () => {}) {
    this.#log = log;
  }

  /**
   * @typedef {object} State
   * @property {import('crush-wasm').OsdMap} map
   * @property {import('crush-wasm').PgMapper} mapper - of this map; a new one for each, so that who has it keeps it
   * @property {string} from - the file that led to it last
   * @property {Date} since
   * @property {{pool: string, pgs: number}[]} moved - PGs that lie elsewhere than in the epoch used before
   */

  /** What is answered from; undefined before the first map. */
  get state() {
    return this.#state;
  }

  /** What is wrong, each with the file that it is wrong with; the oldest first. */
  get problems() {
    return [...this.#problems].map(([file, message]) => ({ file, message }));
  }

  /** Reads a file that is new or has changed; {@link Follower.advance} uses what was read. */
  async read(name, bytes) {
    this.forget(name);
    try {
      const file = await readMapFile(bytes);
      if (file.kind === 'osdmap') this.#offer(name, file.map);
      else this.report(name, 'this is a CRUSH map, which has no epoch and no pools');
    } catch (error) {
      const incremental = incrementalOf(bytes);
      if (incremental !== undefined) this.#incrementals.set(incremental.epoch, { name, incremental });
      else this.#fail(name, error);
    }
  }

  /** Forgets what was read from a file, and what was wrong with it. The map that is used stays. */
  forget(name) {
    this.#problems.delete(name);
    this.#fulls = this.#fulls.filter((each) => each.name !== name);
    for (const [epoch, each] of this.#incrementals) if (each.name === name) this.#incrementals.delete(epoch);
  }

  /** Notes that something is wrong with a file. */
  report(name, message) {
    if (this.#problems.get(name) !== message) this.#log(`${JSON.stringify(name)}: ${message}`);
    this.#problems.set(name, message);
  }

  /** Goes to the newest epoch that there is a way to. */
  advance() {
    const fulls = this.#fulls;
    this.#fulls = [];
    fulls.some(({ name, map }) => map.epoch > (this.#state?.map.epoch ?? 0) && this.#use(name, map));
    const map = this.#state?.map;
    if (map === undefined) return;
    for (const epoch of this.#incrementals.keys()) if (epoch <= map.epoch) this.#incrementals.delete(epoch);
    let next = this.#incrementals.get(map.epoch + 1);
    while (next !== undefined) {
      this.#incrementals.delete(next.incremental.epoch);
      if (!this.#apply(next)) break;
      next = this.#incrementals.get(next.incremental.epoch + 1);
    }
    this.#tellOfGap();
  }

  #offer(name, map) {
    const used = this.#state?.map;
    if (used !== undefined && map.fsid.some((byte, i) => byte !== used.fsid[i])) {
      this.report(name, 'this map is of another cluster: its fsid is not that of the map in use');
    } else if (map.epoch > (used?.epoch ?? 0)) {
      this.#fulls = [...this.#fulls, { name, map }]
        .sort((a, b) => b.map.epoch - a.map.epoch)
        .slice(0, KEPT_FULLS);
    }
  }

  /** Whether an incremental leads on from the map in use. */
  #apply({ name, incremental }) {
    try {
      const map = applyIncremental(this.#state.map, incremental);
      // As OSDs do: what is not the monitors' map, byte for byte, is not used.
      if (checkFullCrc(map, incremental) !== 'different') return this.#use(name, map);
      this.report(
        name,
        `the map that this makes is not the monitors' (by its checksum); ` +
          `take the whole map: ceph osd getmap ${incremental.epoch}`,
      );
    } catch (error) {
      this.#fail(name, error);
    }
    return false;
  }

  /** Whether a map can be used. It is, from then on. */
  #use(name, map) {
    const used = this.#state;
    try {
      const started = performance.now();
      const crush = map.crush === used?.map.crush ? { crush: used.mapper.crush } : {};
      const mapper = createMapper(map, crush);
      const moved = this.#move(map);
      // One assignment: an answer is of the one map or of the other.
      this.#state = { map, mapper, from: name, since: new Date(), moved };
      const count = moved.reduce((sum, { pgs }) => sum + pgs, 0);
      const what = used === undefined ? `${map.pools.size} pools` : `${count} PGs moved`;
      this.#log(`epoch ${map.epoch}: ${what} (${(performance.now() - started).toFixed(1)} ms)`);
      return true;
    } catch (error) {
      // The session may be halfway to the map that it could not map.
      if (used !== undefined) this.#session.update(used.map);
      this.#fail(name, error);
      return false;
    }
  }

  /** Brings the session to a map; gives the pools of which PGs then lie elsewhere. */
  #move(map) {
    if (this.#session === undefined) {
      this.#session = new Session(map);
      return [];
    }
    return this.#session
      .update(map)
      .pools.filter(({ before, seeds }) => before !== undefined && seeds.length > 0)
      .map(({ pool, seeds }) => ({ pool: map.pools.get(pool).name, pgs: seeds.length }));
  }

  /** Whatever goes wrong with a map, the last good one answers on. */
  #fail(name, error) {
    if (error instanceof CrushError) {
      this.report(name, error.describe());
    } else {
      this.#log(error.stack);
      this.report(name, 'the service failed on this file; its log says why');
    }
  }

  #tellOfGap() {
    const waiting = [...this.#incrementals.keys()].sort((a, b) => a - b);
    const next = this.#state.map.epoch + 1;
    if (waiting.length === 0 || waiting[0] === next) this.#problems.delete(GAP);
    else
      this.report(
        GAP,
        `that of epoch ${next} is missing; ${waiting.length} from ${waiting[0]} on wait for it`,
      );
  }
}

const KEPT_FULLS = 4;
/** In the place of a file's name, where an incremental is missing. */
const GAP = 'incrementals';

function incrementalOf(bytes) {
  try {
    return readIncremental(bytes);
  } catch {
    // What to tell is what it lacks to be a whole map.
    return undefined;
  }
}
