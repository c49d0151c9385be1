/** Which release all OSDs that are up have, without being required to. Follows `OSDMap::pending_require_osd_release`. */
import { isAtLeast, RELEASE_NAMES } from '../../formats/releases.ts';
import { OSD_STATE, type OsdMap } from '../../osdmap/model.ts';

/** The bits that say that another is of Ceph's second set of bits, or of its third. */
const SECOND = 1n << 57n;
const THIRD = SECOND | (1n << 28n);

/** The feature of each release since Nautilus: its bit, and those of the set that it is of. */
const RELEASE_FEATURES: readonly (readonly [release: number, features: bigint])[] = [
  [14, THIRD | (1n << 2n)],
  [15, THIRD | (1n << 16n)],
  [16, THIRD | (1n << 20n)],
  [17, THIRD | (1n << 33n)],
  [18, THIRD | (1n << 31n)],
  [19, SECOND | (1n << 49n)],
  [20, SECOND | (1n << 50n)],
];

/** The name of the newest release that `release` knows of and all OSDs that are up have, if it is not required. */
export function pendingRelease(map: OsdMap, release: number): string | undefined {
  const features = upFeatures(map);
  let newest = 0;
  for (const [number, wanted] of RELEASE_FEATURES) {
    // OSDs of Pacific still have the bit that is Reef's now, so a release counts only with all before it.
    if (number > release || (features & wanted) !== wanted) break;
    newest = number;
  }
  if (newest === 0 || isAtLeast(map.details.requireOsdRelease, newest)) return undefined;
  return RELEASE_NAMES[newest];
}

/** What all OSDs that are up can do (`OSDMap::get_up_osd_features`). */
function upFeatures(map: OsdMap): bigint {
  const upAndThere = OSD_STATE.exists | OSD_STATE.up;
  let common: bigint | undefined;
  for (let osd = 0; osd < map.maxOsd; osd++) {
    const features = map.details.osdXInfo[osd]?.features ?? 0n;
    const isUp = ((map.osdState[osd] ?? 0) & upAndThere) === upAndThere;
    if (isUp && features !== 0n) common = common === undefined ? features : common & features;
  }
  return common ?? 0n;
}
