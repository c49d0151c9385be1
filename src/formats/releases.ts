/** Ceph's releases by number, as `require_osd_release` counts them (`ceph_release_t`). */

/** Names by number; 0 is unknown. */
export const RELEASE_NAMES = [
  'unknown',
  'argonaut',
  'bobtail',
  'cuttlefish',
  'dumpling',
  'emperor',
  'firefly',
  'giant',
  'hammer',
  'infernalis',
  'jewel',
  'kraken',
  'luminous',
  'mimic',
  'nautilus',
  'octopus',
  'pacific',
  'quincy',
  'reef',
  'squid',
  'tentacle',
  'umbrella',
] as const;

/** The newest release whose forms are known in all details. */
export const NEWEST_RELEASE = 20;

/** Number of a release name; 0 for names that are not known (`ceph_release_from_name`). */
export function releaseByName(name: string): number {
  return Math.max(0, (RELEASE_NAMES as readonly string[]).indexOf(name));
}

export { isAtLeast } from '../osdmap/release-flags.ts';

/** The releases that decoding and encoding ask for. */
export const RELEASE = {
  jewel: releaseByName('jewel'),
  kraken: releaseByName('kraken'),
  luminous: releaseByName('luminous'),
  nautilus: releaseByName('nautilus'),
  pacific: releaseByName('pacific'),
  quincy: releaseByName('quincy'),
  reef: releaseByName('reef'),
  squid: releaseByName('squid'),
  tentacle: releaseByName('tentacle'),
};
