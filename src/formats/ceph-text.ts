/**
 * Parses what Ceph's JSON holds as text: PG ids, times, endpoints, snapshot intervals, versions, sets of shards.
 * Each parser gives undefined for text of another kind.
 */
import type { EntityAddr, Interval, PgId, UTime } from '../osdmap/model.ts';
import { ADDR_TYPE, FAMILY_IPV4, FAMILY_IPV6, NO_ADDR } from './osdmap-parts.ts';

/** Parses a PG id: `4.1f` is pool 4, placement seed 0x1f. */
export function parsePgId(text: string): PgId | undefined {
  const match = /^(\d{1,15})\.([0-9a-f]{1,8})$/.exec(text);
  return match === null ? undefined : { pool: Number(match[1]), ps: parseInt(match[2] ?? '', 16) };
}

/**
 * Parses a time: seconds (`5.000000`), or a date with or without the offset of its zone; without one it is taken
 * for UTC. Ceph prints microseconds, so the last three digits of `nsec` are lost.
 */
export function parseTime(text: string): UTime | undefined {
  const seconds = /^(\d+)\.(\d{6})$/.exec(text);
  if (seconds !== null) return { sec: Number(seconds[1]), nsec: Number(seconds[2]) * 1000 };
  const date = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)\.(\d{6})(?:Z|([+-]\d\d)(\d\d))?$/.exec(text);
  if (date === null) return undefined;
  const [, day, time, micros, zoneHours, zoneMinutes] = date;
  const zone = zoneHours === undefined ? 'Z' : `${zoneHours}:${zoneMinutes}`;
  const milliseconds = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(milliseconds) ? undefined : { sec: milliseconds / 1000, nsec: Number(micros) * 1000 };
}

/** Parses intervals as Ceph prints them, in hexadecimal: `[1~f,11~2]` starts at 1 and 17. */
export function parseIntervals(text: string): Interval[] | undefined {
  if (!/^\[(?:[0-9a-f]{1,16}~[0-9a-f]{1,16}(?:,(?!\])|(?=\])))*\]$/.test(text)) return undefined;
  return [...text.matchAll(/([0-9a-f]+)~([0-9a-f]+)/g)].map(([, start, length]) => ({
    start: BigInt(`0x${start}`),
    length: BigInt(`0x${length}`),
  }));
}

/** Parses an `eversion_t`: `12'345` is version 345 of epoch 12. */
export function parseVersion(text: string): { epoch: number; version: bigint } | undefined {
  const match = /^(\d{1,10})'(\d{1,20})$/.exec(text);
  return match === null ? undefined : { epoch: Number(match[1]), version: BigInt(match[2] ?? '') };
}

/** Parses a set of shards such as `{1,2}` into a bit a shard. */
export function parseShardSet(text: string): bigint | undefined {
  if (!/^\{(?:\d{1,3}(?:,\d{1,3})*)?\}$/.test(text)) return undefined;
  let set = 0n;
  for (const [shard] of text.matchAll(/\d+/g)) {
    if (Number(shard) >= 128) return undefined;
    set |= 1n << BigInt(shard);
  }
  return set;
}

/** Parses a UUID into its 16 bytes. */
export function parseUuid(text: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)) return undefined;
  const digits = text.replaceAll('-', '');
  return Uint8Array.from({ length: 16 }, (_, i) => parseInt(digits.slice(i * 2, i * 2 + 2), 16));
}

const ADDR_PREFIXES: Readonly<Record<string, number>> = {
  'v1:': ADDR_TYPE.legacy,
  'v2:': ADDR_TYPE.msgr2,
  'any:': ADDR_TYPE.any,
  'cidr:': ADDR_TYPE.cidr,
};

/**
 * Parses an endpoint with its nonce, such as `v2:10.0.0.1:6800/42`, `[fe80::1]:0/7`, or `-` for none.
 *
 * @param plainType - the type of one without a prefix: old releases have none, newer ones print "any" so.
 */
export function parseAddr(text: string, plainType: number = ADDR_TYPE.any): EntityAddr | undefined {
  if (text === '-') return NO_ADDR;
  const prefix = /^[a-z]\w*:/.exec(text)?.[0] ?? '';
  const type = prefix === '' ? plainType : ADDR_PREFIXES[prefix];
  const slash = text.lastIndexOf('/');
  const nonce = text.slice(slash + 1);
  if (type === undefined || slash < 0 || !/^\d{1,10}$/.test(nonce)) return undefined;
  const socket = parseSocketAddress(text.slice(prefix.length, slash));
  return socket === undefined ? undefined : { type, nonce: Number(nonce), ...socket };
}

/** The part of an endpoint that a socket knows. */
export type SocketAddress = Pick<EntityAddr, 'family' | 'port' | 'address'>;

/** Parses address and port, such as `10.0.0.1:6800` or `[fe80::1]:0`; what stands for none gives a blank. */
export function parseSocketAddress(text: string): SocketAddress | undefined {
  // Old and new words for an address that was never set.
  if (text === ':' || text.startsWith('(unrecognized address family')) {
    return { family: 0, port: 0, address: new Uint8Array(0) };
  }
  const match = /^(?:\[([^\]]*)\]|([\d.]+)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const [, six, four, port] = match;
  const family = six === undefined ? FAMILY_IPV4 : FAMILY_IPV6;
  const address = six === undefined ? parseIPv4(four ?? '') : parseIPv6(six);
  if (address === undefined || Number(port) > 65535) return undefined;
  return { family, port: Number(port), address };
}

function parseIPv4(text: string): Uint8Array | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const parts = text.split('.').map(Number);
  return parts.every((part) => part < 256) ? Uint8Array.from(parts) : undefined;
}

function parseIPv6(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined || halves.length > 2 || (halves.length === 2 && tail === undefined))
    return undefined;
  const length = head.length + (tail?.length ?? 0);
  if (tail === undefined ? length !== 16 : length > 14) return undefined;
  const address = new Uint8Array(16);
  address.set(head);
  if (tail !== undefined) address.set(tail, 16 - tail.length);
  return address;
}

/** Bytes of the groups on one side of `::`; the last group may be an IPv4 address. */
function parseGroups(text: string): number[] | undefined {
  const bytes: number[] = [];
  if (text === '') return bytes;
  for (const group of text.split(':')) {
    const four = parseIPv4(group);
    if (four !== undefined) bytes.push(...four);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) bytes.push(parseInt(group, 16) >> 8, parseInt(group, 16) & 255);
    else return undefined;
  }
  return bytes;
}
