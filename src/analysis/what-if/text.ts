/**
 * Changes in text, as people write them: `out osd.3`, `crush-weight host2 4.5`, `pool rbd pg_num 256`. Words are
 * separated by blanks; a change ends where its words do, at the end of the line, or at a `;`. `#` starts a comment.
 */
import { TUNABLES_PROFILES } from '../../crush/tunables.ts';
import type { CrushMap } from '../../crush/model.ts';
import { CrushError, type ErrorPlace } from '../../errors.ts';
import type { PgId } from '../../osdmap/model.ts';
import { type ChangeLocation, type MapChange, POOL_CHANGE_FIELDS } from './changes.ts';

/** A change whose CRUSH map is still to be read from a file. */
export interface CrushMapFileChange {
  /** What kind of change it is. */
  readonly kind: 'crushmap-file';
  /** Name of the file. */
  readonly file: string;
}

/** What text says. */
export type WrittenChange = MapChange | CrushMapFileChange;

/** Each change with what it does, for `--help` and for errors. */
export const CHANGE_FORMS: readonly (readonly [form: string, what: string])[] = [
  ['out|in|up|down TARGETS', 'mark OSDs'],
  ['reweight TARGETS W', "'ceph osd reweight', 0 to 1"],
  ['primary-affinity TARGETS W', '0 to 1'],
  ['crush-weight NAME W', "an OSD's CRUSH weight, or a bucket's in all, shared by its OSDs as now"],
  ['reweight-subtree NAME W', 'the CRUSH weight of each OSD below a bucket'],
  ['add-host NAME osds=LIST weight=W [class=C] TYPE=BUCKET ...', 'a host with new OSDs'],
  ['add-osds LIST weight=W [class=C] TYPE=BUCKET ...', 'new OSDs, up and in'],
  ['add-bucket NAME type=TYPE [TYPE=BUCKET ...]', 'an empty bucket'],
  ['remove TARGETS', "'ceph osd purge'; a bucket goes with all below it"],
  ['move NAMES TYPE=BUCKET ...', 'OSDs or buckets to a place in the hierarchy'],
  ['class TARGETS C', "the device class of OSDs; '-' for none"],
  ['pool POOL rule|size|min_size|pg_num|pgp_num VALUE', "'ceph osd pool set'"],
  ['rule RULE failure-domain TYPE', 'keep OSDs of a PG apart by buckets of this type'],
  ['tunables PROFILE', TUNABLES_PROFILES.join(', ')],
  ['crushmap FILE', 'take this CRUSH map'],
  ['upmap PG OSDS', "'ceph osd pg-upmap', such as: upmap 4.1f 3,7,9"],
  ['upmap-items PG FROM:TO,...', "'ceph osd pg-upmap-items', such as: upmap-items 4.1f 3:7"],
  ['rm-upmap|rm-upmap-items PG', 'take such an upmap away'],
];

/**
 * Reads changes from words.
 *
 * @throws CrushError `malformed`, with the form of the change that the words do not have
 * @example
 * ```ts
 * parseChanges('out osd.3,osd.4; pool rbd size 3');
 * ```
 */
export function parseChanges(text: string): WrittenChange[] {
  const changes: WrittenChange[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    for (const part of line.replace(/(^|\s)#.*$/, '').split(';')) {
      const words = part.split(/\s+/).filter((word) => word !== '');
      const reader = new WordReader(words, { line: index + 1 });
      while (!reader.isAtEnd) changes.push(parseChange(reader));
    }
  }
  return changes;
}

/** The changes with the CRUSH maps that they name files of. */
export async function readCrushMaps(
  changes: readonly WrittenChange[],
  read: (file: string) => Promise<CrushMap>,
): Promise<MapChange[]> {
  const all: MapChange[] = [];
  for (const change of changes) {
    if (change.kind !== 'crushmap-file') all.push(change);
    else all.push({ kind: 'crushmap', crush: await read(change.file) });
  }
  return all;
}

function parseChange(words: WordReader): WrittenChange {
  const kind = words.start();
  switch (kind) {
    case 'out':
    case 'in':
    case 'up':
    case 'down':
      return { kind, targets: words.list() };
    case 'reweight':
    case 'primary-affinity':
      return { kind, targets: words.list(), weight: words.number() };
    case 'crush-weight':
    case 'reweight-subtree':
      return { kind, name: words.next(), weight: words.number() };
    case 'add-host': {
      const host = words.next();
      const { osds, location, ...rest } = words.newOsds();
      if (osds === undefined) throw words.failure('osds= says which OSDs it gets');
      return { kind: 'add-osds', osds, ...rest, location: { host, ...location } };
    }
    case 'add-osds': {
      const list = words.osdList(words.next());
      const { osds, ...rest } = words.newOsds();
      if (osds !== undefined) throw words.failure('the OSDs come before the places');
      if (Object.keys(rest.location).length === 0) throw words.failure('TYPE=BUCKET says where they go');
      return { kind, osds: list, ...rest };
    }
    case 'add-bucket': {
      const name = words.next();
      const { type, ...location } = words.pairs();
      if (type === undefined) throw words.failure('type= says what it is');
      return { kind, name, type, ...(Object.keys(location).length > 0 && { location }) };
    }
    case 'remove':
      return { kind, targets: words.list() };
    case 'move': {
      const names = words.list();
      const location = words.pairs();
      if (Object.keys(location).length === 0) throw words.failure('TYPE=BUCKET says where to');
      return { kind, names, location };
    }
    case 'class': {
      const targets = words.list();
      const name = words.next();
      return { kind: 'device-class', targets, deviceClass: name === '-' ? undefined : name };
    }
    case 'pool': {
      const pool = words.next();
      const word = words.next();
      const field = POOL_CHANGE_FIELDS.find((each) => each === (word === 'crush_rule' ? 'rule' : word));
      if (field === undefined)
        throw words.failure(`'${word}' is no field of a pool that can be changed here`);
      return { kind, pool, field, value: words.next() };
    }
    case 'rule': {
      const rule = words.next();
      if (words.next() !== 'failure-domain') throw words.failure('only the failure domain can be changed');
      return { kind: 'failure-domain', rule, type: words.next() };
    }
    case 'tunables': {
      const word = words.next();
      const profile = TUNABLES_PROFILES.find((each) => each === word);
      if (profile === undefined) throw words.failure(`'${word}' is no profile`);
      return { kind, profile };
    }
    case 'crushmap':
      return { kind: 'crushmap-file', file: words.next() };
    case 'upmap':
      return { kind, pg: words.pg(), osds: words.osdList(words.next()) };
    case 'upmap-items':
      return { kind, pg: words.pg(), pairs: words.osdPairs() };
    case 'rm-upmap':
    case 'rm-upmap-items':
      return { kind, pg: words.pg() };
    default:
      throw new CrushError(
        'malformed',
        `'${kind}' is no change; there are ${CHANGE_FORMS.flatMap(([form]) => kindsOf(form)).join(', ')}`,
        words.place,
      );
  }
}

/** The changes that have a form, by their first words. */
function kindsOf(form: string): string[] {
  return (form.split(' ')[0] ?? '').split('|');
}

/** Most OSDs of a list; more are a slip. */
const MAX_LIST = 1 << 16;

/** Reads the words of changes one after the other. */
class WordReader {
  readonly place: ErrorPlace;
  readonly #words: readonly string[];
  #at = 0;
  #kind = '';

  constructor(words: readonly string[], place: ErrorPlace) {
    this.#words = words;
    this.place = place;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  /** The first word of a change. */
  start(): string {
    this.#kind = this.#words[this.#at++] ?? '';
    return this.#kind;
  }

  next(): string {
    const word = this.#words[this.#at];
    if (word === undefined) throw this.failure('it ends too early');
    this.#at++;
    return word;
  }

  /** A list with commas. */
  list(): string[] {
    const word = this.next();
    const parts = word.split(',');
    if (parts.includes('')) throw this.failure(`'${word}' has an empty place between commas`);
    return parts;
  }

  number(): number {
    const word = this.next();
    if (/^\d+(?:\.\d+)?$|^\.\d+$/.test(word)) return Number(word);
    throw this.failure(`'${word}' is no number such as 0.85`);
  }

  /** Words with an equals sign, as far as there are any. */
  pairs(): Record<string, string> {
    const pairs: Record<string, string> = {};
    for (let word = this.#words[this.#at]; word?.includes('=') === true; word = this.#words[this.#at]) {
      const at = word.indexOf('=');
      const key = word.slice(0, at);
      const value = word.slice(at + 1);
      if (key === '' || value === '') throw this.failure(`'${word}' is not TYPE=BUCKET`);
      if (Object.hasOwn(pairs, key)) throw this.failure(`'${key}=' is there twice`);
      pairs[key] = value;
      this.#at++;
    }
    return pairs;
  }

  /** What new OSDs are like and where they go. */
  newOsds(): { osds: number[] | undefined; weight: number; deviceClass?: string; location: ChangeLocation } {
    const { osds, weight, class: deviceClass, ...location } = this.pairs();
    if (weight === undefined || !/^\d+(?:\.\d+)?$/.test(weight))
      throw this.failure('weight= is a number such as 3.6');
    return {
      osds: osds === undefined ? undefined : this.osdList(osds),
      weight: Number(weight),
      ...(deviceClass !== undefined && { deviceClass }),
      location,
    };
  }

  /** OSD ids: `3,osd.4,7-9`. */
  osdList(word: string): number[] {
    const ids = word.split(',').flatMap((part) => {
      const match = /^(?:osd\.)?(\d{1,8})(?:-(?:osd\.)?(\d{1,8}))?$/.exec(part);
      if (match === null) throw this.failure(`'${part}' is no OSD`);
      const first = Number(match[1]);
      const last = Number(match[2] ?? match[1]);
      if (last < first || last - first >= MAX_LIST) throw this.failure(`'${part}' is no run of OSDs`);
      return Array.from({ length: last - first + 1 }, (_, i) => first + i);
    });
    if (new Set(ids).size < ids.length) throw this.failure(`'${word}' has an OSD twice`);
    return ids;
  }

  osdPairs(): [number, number][] {
    return this.next()
      .split(',')
      .map((part) => {
        const match = /^(?:osd\.)?(\d{1,8}):(?:osd\.)?(\d{1,8})$/.exec(part);
        if (match === null) throw this.failure(`'${part}' is not FROM:TO`);
        return [Number(match[1]), Number(match[2])];
      });
  }

  pg(): PgId {
    const word = this.next();
    const match = /^(\d{1,15})\.([0-9a-f]{1,8})$/i.exec(word);
    if (match === null) throw this.failure(`'${word}' is no PG such as 4.1f`);
    return { pool: Number(match[1]), ps: parseInt(match[2] ?? '', 16) };
  }

  /** What is wrong with the change, and what form it has. */
  failure(problem: string): CrushError {
    const known = CHANGE_FORMS.find(([form]) => kindsOf(form).includes(this.#kind));
    return new CrushError(
      'malformed',
      `${this.#kind}: ${problem}; write: ${known?.[0] ?? this.#kind}`,
      this.place,
    );
  }
}
