/** The map that is open: as it was read, as changes have left it, and where its PGs lie in both. */
import { FlatMap } from '../../../src/crush/flat.ts';
import { CrushError } from '../../../src/errors.ts';
import type { MapFile } from '../../../src/formats/detect.ts';
import { Session } from '../../../src/analysis/session.ts';
import type { OsdMap, Pool } from '../../../src/osdmap/model.ts';
import { type PgColumns, PgMapper, type PgSets } from '../../../src/osdmap/pg-mapper.ts';
import { findPool } from '../../../src/osdmap/pool-request.ts';
import { osdMapAround } from './crush-only.ts';

/**
 * Pools that a session can be of. Each has a kernel's memory of its own, for which engines set aside 10 GiB of
 * addresses, whatever is used of them, and all of a page's workers together get no more than 1 TiB.
 */
const MOST_SESSION_POOLS = 64;
/** OSDs of all PGs of a session, of which each takes some 70 bytes. */
const MOST_SESSION_PLACES = 1 << 24;

/** What a document is opened from. */
export interface DocumentSource {
  /** File name as the user knows it, or an example's title. */
  readonly name: string;
  /** What was read. */
  readonly file: MapFile;
  /** What the file leaves open. */
  readonly notes: readonly string[];
  /** The file's checksum does not fit its content, and was ignored. */
  readonly isCrcWrong?: boolean;
}

/**
 * An open map. `original` never changes; `current` is what changes have made of it, and `version` counts up with each.
 * Mappings are made when they are asked for: in bulk while nothing has changed, and by a {@link Session} from the
 * first change on.
 */
export class OpenDocument {
  readonly source: DocumentSource;
  /** The map as it was read. Around a CRUSH map alone it is made up, see {@link osdMapAround}. */
  readonly original: OsdMap;
  #obstacle: CrushError | undefined;
  #current: OsdMap;
  #version = 0;
  #mapper: PgMapper | undefined;
  /**
   * Undefined until something is to change, while some pool cannot be mapped, and for too many pools or PGs: then
   * pools are mapped one by one.
   */
  #session: Session | undefined;
  #currentMapper: PgMapper | undefined;
  /** Why a pool cannot be mapped is kept too: maps with absurd tries take long until that is known. */
  #currents = new Map<number, PgColumns | CrushError>();
  readonly #originals = new Map<number, PgColumns | CrushError>();

  constructor(source: DocumentSource) {
    this.source = source;
    const { file } = source;
    this.original = file.kind === 'osdmap' ? file.map : osdMapAround(file.map);
    this.#current = this.original;
    this.#obstacle = obstacleOf(this.original);
  }

  /** Why nothing can be mapped from the current map, if so. */
  get obstacle(): CrushError | undefined {
    return this.#obstacle;
  }

  /** Whether the pools and OSD states are made up, since the file is a CRUSH map alone. */
  get isMadeUp(): boolean {
    return this.source.file.kind === 'crushmap';
  }

  /** The map with all changes. */
  get current(): OsdMap {
    return this.#current;
  }

  /** Counts changes; what was computed at another version is stale. */
  get version(): number {
    return this.#version;
  }

  /** Whether the map is no longer as it was read. */
  get isChanged(): boolean {
    return this.#current !== this.original;
  }

  /**
   * A pool of the current map.
   *
   * @throws CrushError `not-found`
   */
  pool(idOrName: number | string): Pool {
    return findPool(this.#current, idOrName);
  }

  /**
   * Where a pool's PGs lie in the current map. The columns are only good until the next change.
   *
   * @throws CrushError as mapping does: `invalid-map`, `invalid-rule`, `not-found`...
   */
  columns(pool: number): PgColumns {
    if (this.#session !== undefined) return this.#session.columns(pool);
    if (!this.isChanged) return this.originalColumns(pool);
    let columns = this.#currents.get(pool);
    if (columns === undefined) {
      this.#currentMapper ??= new PgMapper(this.#current);
      columns = columnsOrError(this.#currentMapper, pool);
      this.#currents.set(pool, columns);
    }
    return demandColumns(columns);
  }

  /** Where a pool's PGs lie in the map as it was read. */
  originalColumns(pool: number): PgColumns {
    let columns = this.#originals.get(pool);
    if (columns === undefined) {
      this.#mapper ??= new PgMapper(this.original);
      columns = columnsOrError(this.#mapper, pool);
      this.#originals.set(pool, columns);
    }
    return demandColumns(columns);
  }

  /**
   * Makes ready for changes, so that the first is as quick as the others; takes some 200 bytes for each PG. Where a pool
   * cannot be mapped, or there are too many, nothing is made ready, and changes take longer.
   */
  prepareChanges(): void {
    if (this.#session !== undefined || this.isChanged) return;
    this.#session = sessionOf(this.original);
    if (this.#session === undefined) return;
    for (const id of this.original.pools.keys()) {
      if (!this.#originals.has(id)) this.#originals.set(id, copyOf(this.#session.columns(id)));
    }
  }

  /**
   * Makes another map the current one; going back is a change like any other. A map that already had pools that cannot
   * be mapped may go on having such.
   *
   * @throws CrushError where it cannot be mapped from; the document then is as before
   */
  change(map: OsdMap): void {
    this.prepareChanges();
    const before = this.#current;
    if (this.#session === undefined) {
      if (map !== this.original) FlatMap.fromModel(map.crush);
      this.#session = sessionOf(map);
    } else if (!isOfSessionSize(map)) {
      FlatMap.fromModel(map.crush);
      this.#session = undefined;
    } else {
      try {
        this.#session.update(map);
      } catch (error) {
        if (map === this.original && error instanceof CrushError) {
          // There always is a way back, also to a map that cannot be mapped.
          this.#session = undefined;
        } else {
          this.#session.update(before);
          throw error;
        }
      }
    }
    this.#current = map;
    this.#obstacle = this.#session === undefined ? obstacleOf(map) : undefined;
    this.#currentMapper = undefined;
    this.#currents = new Map();
    this.#version++;
  }
}

function columnsOrError(mapper: PgMapper, pool: number): PgColumns | CrushError {
  try {
    return mapper.mapPool(pool);
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
}

function demandColumns(columns: PgColumns | CrushError): PgColumns {
  if (columns instanceof CrushError) throw columns;
  return columns;
}

function copyOf(columns: PgColumns): PgColumns {
  const copy = ({ osds, lengths, primaries }: PgSets): PgSets => ({
    osds: osds.slice(),
    lengths: lengths.slice(),
    primaries: primaries.slice(),
  });
  const raw = copy(columns.raw);
  const up = columns.up === columns.raw ? raw : copy(columns.up);
  return { ...columns, raw, up, acting: columns.acting === columns.up ? up : copy(columns.acting) };
}

/** A session, or undefined where a pool cannot be mapped, or where it would take too much memory. */
function sessionOf(map: OsdMap): Session | undefined {
  if (!isOfSessionSize(map)) return undefined;
  try {
    return new Session(map);
  } catch (error) {
    if (error instanceof CrushError) return undefined;
    throw error;
  }
}

function isOfSessionSize({ pools }: OsdMap): boolean {
  let places = 0;
  for (const { pgNum, size } of pools.values()) places += pgNum * size;
  return pools.size <= MOST_SESSION_POOLS && places <= MOST_SESSION_PLACES;
}

function obstacleOf(map: OsdMap): CrushError | undefined {
  try {
    FlatMap.fromModel(map.crush);
    return undefined;
  } catch (error) {
    if (error instanceof CrushError) return error;
    throw error;
  }
}
