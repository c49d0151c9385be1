/**
 * Shapes of the values that `ceph osd dump -f json` is made of. Each checks and converts in one step, so that an
 * error shows the path of the very value.
 */
import * as v from 'valibot';
import { ADDR_TYPE } from './osdmap-parts.ts';
import {
  parseAddr,
  parseIntervals,
  parsePgId,
  parseShardSet,
  parseSocketAddress,
  parseTime,
  parseUuid,
  parseVersion,
} from './ceph-text.ts';
import { int32, word } from './json-input.ts';

/** Text that `parse` understands. */
function textOf<T>(kind: string, parse: (text: string) => T | undefined) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      const value = parse(dataset.value);
      if (value !== undefined) return value;
      addIssue({ message: `${JSON.stringify(dataset.value.slice(0, 80))} is not ${kind}` });
      return NEVER;
    }),
  );
}

/** A PG id, such as `4.1f`. */
export const pgId = textOf('a PG id', parsePgId);

/** A time. */
export const time = textOf('a time', parseTime);

/** Intervals of snapshot ids in hexadecimal, as pools have them. */
export const hexIntervals = textOf('a list of intervals', parseIntervals);

/** An epoch and a version. */
export const eversion = textOf('a version', parseVersion);

/** A set of shards. */
export const shardSet = textOf('a set of shards', parseShardSet);

/** A UUID. */
export const uuid = textOf('a UUID', parseUuid);

/** A 32-bit value that some releases print as text. */
export const wordOrText = v.union([
  word,
  textOf('a number', (text) => (/^\d{1,10}$/.test(text) ? Number(text) : undefined)),
]);

/**
 * A 64-bit value. Beyond 2^53 JavaScript's JSON has lost the last digits, which only values that placement does not
 * read reach.
 */
export const long = v.pipe(
  v.number(),
  v.integer(),
  v.transform((value) => BigInt(value)),
);

/** A number that only goes up to what a double holds exactly (pool ids). */
export const id = v.pipe(v.number(), v.safeInteger());

/** A flag, 0 or 1 in some fields. */
export const flag = v.union([
  v.boolean(),
  v.pipe(
    int32,
    v.transform((value) => value !== 0),
  ),
]);

/**
 * A 16.16 value that Ceph printed as a fraction; the nearest 16.16 value is the one it had, for 6 digits after the
 * point are enough to tell them apart.
 */
export const fixed16 = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(65535.999985),
  v.transform((value) => Math.round(value * 0x10000)),
);

/** A number that Ceph holds in single precision. */
export const single = v.pipe(
  v.number(),
  v.transform((value) => Math.fround(value)),
);

/** A table of texts. */
const textTable = v.pipe(
  v.record(v.string(), v.string()),
  v.transform((record) => new Map(Object.entries(record))),
);

/** A table of tables of texts. */
export const textTables = v.pipe(
  v.record(v.string(), textTable),
  v.transform((record) => new Map(Object.entries(record))),
);

/** The endpoints of a daemon as releases from Nautilus on print them. */
export const addrVec = v.object({
  addrvec: v.array(
    v.pipe(
      v.object({
        type: v.pipe(
          v.string(),
          v.transform((name) => ADDR_TYPE_NAMES[name] ?? ADDR_TYPE.none),
        ),
        addr: textOf('an address', parseSocketAddress),
        nonce: word,
      }),
      v.transform(({ type, addr, nonce }) => ({ type, nonce, ...addr })),
    ),
  ),
});

const ADDR_TYPE_NAMES: Readonly<Record<string, number>> = {
  none: ADDR_TYPE.none,
  v1: ADDR_TYPE.legacy,
  v2: ADDR_TYPE.msgr2,
  any: ADDR_TYPE.any,
  cidr: ADDR_TYPE.cidr,
};

/** The endpoint of a daemon as releases before Nautilus print it. */
export const plainAddr = textOf('an address', (text) => {
  const addr = parseAddr(text, ADDR_TYPE.legacy);
  return addr?.family === 0 ? { ...addr, type: ADDR_TYPE.none } : addr;
});

/** Blocked endpoints and when that ends. */
export const blocklist = v.pipe(
  v.record(v.string(), time),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const rows = Object.entries(dataset.value).map(
      ([text, until]) => [parseAddr(text), until, text] as const,
    );
    const out = rows.flatMap(([addr, until]) => (addr === undefined ? [] : [[addr, until] as const]));
    const wrong = rows.find(([addr]) => addr === undefined);
    if (wrong === undefined) return out;
    addIssue({ message: `${JSON.stringify(wrong[2].slice(0, 80))} is not an address` });
    return NEVER;
  }),
);

/** Snapshot intervals by pool. */
export const snapTable = v.pipe(
  v.array(
    v.object({
      pool: id,
      snaps: v.array(
        v.pipe(
          v.object({ begin: long, length: long }),
          v.transform(({ begin, length }) => ({ start: begin, length })),
        ),
      ),
    }),
  ),
  v.transform((rows) => new Map(rows.map(({ pool, snaps }) => [pool, snaps]))),
);

/** Rows of pg_temp and pg_upmap. */
export const pgOsds = v.array(
  v.pipe(
    v.object({ pgid: pgId, osds: v.array(int32) }),
    v.transform(({ pgid, osds }) => ({ pg: pgid, value: osds })),
  ),
);

/** Rows of pg_upmap_items. */
export const pgOsdPairs = v.array(
  v.pipe(
    v.object({ pgid: pgId, mappings: v.array(v.object({ from: int32, to: int32 })) }),
    v.transform(({ pgid, mappings }) => ({
      pg: pgid,
      value: mappings.map(({ from, to }): [number, number] => [from, to]),
    })),
  ),
);

/** Rows of pg_upmap_primaries. */
export const pgPrimaries = v.array(
  v.pipe(
    v.object({ pgid: pgId, primary_osd: int32 }),
    v.transform(({ pgid, primary_osd }) => ({ pg: pgid, value: primary_osd })),
  ),
);

/** Rows of primary_temp, which Ceph prints flat: a PG id, its primary, the next PG id, its primary. */
export const pgPrimaryTemps = v.pipe(
  v.array(v.union([pgId, int32])),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const rows = [];
    for (let i = 0; i < dataset.value.length; i += 2) {
      const pg = dataset.value[i];
      const value = dataset.value[i + 1];
      if (typeof pg !== 'object' || typeof value !== 'number') {
        addIssue({ message: `entries ${i} and ${i + 1} are not a PG id and an OSD` });
        return NEVER;
      }
      rows.push({ pg, value });
    }
    return rows;
  }),
);
