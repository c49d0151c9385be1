/** Whether a map that incrementals led to is, byte for byte, the one that the monitors have. */
import type { OsdMap } from '../osdmap/model.ts';
import type { OsdMapIncremental } from '../osdmap/incremental-model.ts';
import { encodeOsdMap } from './osdmap-encode.ts';
import { formOfRelease } from './osdmap-versions.ts';
import { NEWEST_RELEASE, RELEASE } from './releases.ts';

/** What {@link checkFullCrc} found. */
export type FullCrcCheck = 'equal' | 'different' | 'unknown';

/** Features that decide on the form of an OSDMap: the bit of each, and that of the incarnation it belongs to. */
const FEATURE = {
  luminous: (1n << 21n) | (1n << 57n),
  mimic: (1n << 28n) | (1n << 57n),
  nautilus: (1n << 2n) | (1n << 57n) | (1n << 28n),
  octopus: (1n << 16n) | (1n << 57n) | (1n << 28n),
} as const;

/**
 * Encodes the map that an incremental led to as the monitors did, and compares checksums.
 *
 * The incremental says by which features the monitors encoded the map, but not of which release they are; so each form
 * that these features allow is tried, and `different` means that none gives the checksum: the map before the
 * incremental was another one, or the monitors wrote what this library does not hold (see `writeOsdMapBinary`).
 *
 * @param map - the map with the incremental applied
 * @returns `unknown` where the incremental has no checksum, and for clusters of before Luminous, whose maps have
 * another form.
 */
export function checkFullCrc(map: OsdMap, incremental: OsdMapIncremental): FullCrcCheck {
  const { encodeFeatures, fullCrc } = incremental;
  if (fullCrc === undefined || !has(encodeFeatures, FEATURE.luminous)) return 'unknown';
  return releasePairs(encodeFeatures).some(([release, crushRelease]) => {
    const bytes = encodeOsdMap(map, formOfRelease(map, release, crushRelease));
    return new DataView(bytes.buffer).getUint32(bytes.length - 4, true) === fullCrc;
  })
    ? 'equal'
    : 'different';
}

/** Releases whose forms the features allow, with the release of the CRUSH map's form. */
function releasePairs(features: bigint): (readonly [release: number, crushRelease: number])[] {
  const { luminous, nautilus, pacific, quincy } = RELEASE;
  if (!has(features, FEATURE.octopus)) {
    const release = has(features, FEATURE.nautilus)
      ? nautilus
      : has(features, FEATURE.mimic)
        ? luminous + 1
        : luminous;
    return [pacific, quincy, NEWEST_RELEASE].map((crushRelease) => [release, crushRelease]);
  }
  const newer = [pacific, quincy, RELEASE.reef, RELEASE.squid, NEWEST_RELEASE];
  return newer.map((release) => [release, release]);
}

function has(features: bigint, wanted: bigint): boolean {
  return (features & wanted) === wanted;
}
