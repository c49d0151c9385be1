/** Times, addresses, ids, pool types and flags as Ceph prints them. */
import {
  OSD_STATE,
  POOL_TYPE,
  type EntityAddr,
  type EntityAddrVec,
  type Interval,
  type Pool,
  type UTime,
} from './model.ts';

/** Times before this many seconds are taken for spans (`utime_t`). */
const TEN_YEARS = 60 * 60 * 24 * 365 * 10;

/** A time in the zone of this process (`utime_t::localtime`): `2026-11-30T05:31:39.600611+0000`. */
export function formatTime({ sec, nsec }: UTime): string {
  const micros = String(Math.floor(nsec / 1000)).padStart(6, '0');
  if (sec < TEN_YEARS) return `${sec}.${micros}`;
  const date = new Date(sec * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const offset = -date.getTimezoneOffset();
  const zone = Math.abs(offset);
  return (
    `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}` +
    `T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${micros}` +
    `${offset < 0 ? '-' : '+'}${two(Math.floor(zone / 60))}${two(zone % 60)}`
  );
}

/** A UUID of 16 bytes. */
export function formatUuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const ADDR_PREFIX: Readonly<Record<number, string>> = { 0: 'none:', 1: 'v1:', 2: 'v2:', 3: '', 4: 'cidr:' };

/** Names of endpoints' types by number. */
export const ADDR_TYPE_NAMES = ['none', 'v1', 'v2', 'any', 'cidr'] as const;

/** An endpoint (`entity_addr_t`): `v2:10.0.0.1:6800/42`. */
export function formatAddr({ type, nonce, family, port, address }: EntityAddr): string {
  if (type === 0) return '-';
  return `${ADDR_PREFIX[type] ?? '???:'}${formatSocket(family, port, address)}/${nonce}`;
}

/** The endpoints of a daemon (`entity_addrvec_t`): nothing, one, or a list. */
export function formatAddrVec(addrs: EntityAddrVec): string {
  const [first] = addrs;
  if (first === undefined) return '';
  if (addrs.length === 1) return formatAddr(first);
  return `[${addrs.map(formatAddr).join(',')}]`;
}

/** Address and port of an endpoint. */
export function formatSocket(family: number, port: number, address: Uint8Array): string {
  if (family === 2) return `${address.join('.')}:${port}`;
  if (family === 10) return `[${formatIpv6(address)}]:${port}`;
  return `(unrecognized address family ${family})`;
}

/** An IPv6 address as `inet_ntop` prints it: the first longest run of two or more zero groups is `::`. */
function formatIpv6(address: Uint8Array): string {
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((address[2 * i] ?? 0) << 8) | (address[2 * i + 1] ?? 0),
  );
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const isMapped = best.start === 0 && (best.length === 6 || (best.length === 5 && groups[5] === 0xffff));
  const hex = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  if (isMapped) return `::${best.length === 5 ? 'ffff:' : ''}${address.subarray(12).join('.')}`;
  if (best.start < 0) return hex(0, 8);
  return `${hex(0, best.start)}::${hex(best.start + best.length, 8)}`;
}

/** Runs of snapshot ids (`interval_set<snapid_t>`): hexadecimal `[1~3,5~1]`. */
export function formatIntervals(intervals: readonly Interval[]): string {
  return `[${intervals.map(({ start, length }) => `${start.toString(16)}~${length.toString(16)}`).join(',')}]`;
}

/** An OSD's state bits as a sorted list (`OSDMap::calc_state_set`): `exists,up`. */
export function formatOsdState(state: number): string {
  const names = new Set<string>();
  for (let bit = 0; bit < 32; bit++) {
    const flag = 2 ** bit;
    if (((state >>> bit) & 1) === 0) continue;
    names.add(Object.entries(OSD_STATE).find(([, value]) => value === flag)?.[0] ?? '???');
  }
  return [...names].sort().join(',');
}

/** Cluster flags by bit (`CEPH_OSDMAP_*`), in the order Ceph prints them. */
const CLUSTER_FLAGS: readonly (readonly [bit: number, name: string, since: number])[] = [
  [2, 'pauserd', 0],
  [3, 'pausewr', 0],
  [4, 'pauserec', 0],
  [5, 'noup', 0],
  [6, 'nodown', 0],
  [7, 'noout', 0],
  [8, 'noin', 0],
  [9, 'nobackfill', 0],
  [14, 'norebalance', 0],
  [10, 'norecover', 0],
  [11, 'noscrub', 0],
  [12, 'nodeep-scrub', 0],
  [13, 'notieragent', 0],
  [21, 'nosnaptrim', 0],
  [15, 'sortbitwise', 0],
  [16, 'require_jewel_osds', 0],
  [17, 'require_kraken_osds', 0],
  [18, 'require_luminous_osds', 0],
  [19, 'recovery_deletes', 0],
  [20, 'purged_snapdirs', 0],
  [22, 'pglog_hardlimit', 0],
  [23, 'noautoscale', 17],
];

/** Cluster flags as `release` prints them (`OSDMap::get_flag_string`). */
export function formatClusterFlags(flags: number, release: number): string {
  return CLUSTER_FLAGS.filter(([bit, , since]) => ((flags >>> bit) & 1) === 1 && release >= since)
    .map(([, name]) => name)
    .join(',');
}

/** `replicated`, `erasure`, or what Ceph prints for a type it does not know. */
export function poolTypeName({ type }: Pool): string {
  if (type === POOL_TYPE.replicated) return 'replicated';
  return type === POOL_TYPE.erasure ? 'erasure' : '???';
}

/** Pool flags by bit (`pg_pool_t::FLAG_*`). */
const POOL_FLAGS = [
  'hashpspool',
  'full',
  'ec_overwrites',
  'incomplete_clones',
  'nodelete',
  'nopgchange',
  'nosizechange',
  'write_fadvise_dontneed',
  'noscrub',
  'nodeep-scrub',
  'full_quota',
  'nearfull',
  'backfillfull',
  'selfmanaged_snaps',
  'pool_snaps',
  'creating',
  'eio',
  'bulk',
  'crimson',
  'ec_optimizations',
  'split_reads',
  'supports_omap',
  'crimson_allow_pg_merge',
] as const;

/** How many of {@link POOL_FLAGS} Pacific knows: all up to `bulk`. */
const PACIFIC_POOL_FLAGS = 18;

/** Pool flags as `release` prints them (`pg_pool_t::get_flags_string`). */
export function formatPoolFlags(flags: bigint, release: number): string {
  const known = release <= 16 ? PACIFIC_POOL_FLAGS : POOL_FLAGS.length;
  const names: string[] = [];
  for (let bit = 0; bit < 64; bit++) {
    if (((flags >> BigInt(bit)) & 1n) === 1n)
      names.push((bit < known ? POOL_FLAGS[bit] : undefined) ?? '???');
  }
  return names.join(',');
}
