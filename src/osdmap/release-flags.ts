/** The cluster flags that say, or are implied by, the release that all OSDs must have. Follows `OSDMap::decode`. */

/** Cluster flags of releases (`CEPH_OSDMAP_*`). */
export const RELEASE_FLAG = {
  requireJewel: 1 << 16,
  requireKraken: 1 << 17,
  requireLuminous: 1 << 18,
  recoveryDeletes: 1 << 19,
  pglogHardlimit: 1 << 22,
} as const;

const LEGACY = RELEASE_FLAG.requireJewel | RELEASE_FLAG.requireKraken | RELEASE_FLAG.requireLuminous;

const LUMINOUS = 12;
const NAUTILUS = 14;

/** Whether a stored release is `wanted` or newer; numbers from 128 on were once written for "none". */
export function isAtLeast(release: number, wanted: number): boolean {
  return release < 128 && release >= wanted;
}

/** The flags with those that a required release implies, and without those that it replaced. */
export function flagsOfRelease(flags: number, release: number, releaseIsEncoded: boolean): number {
  let out = flags;
  if (releaseIsEncoded && isAtLeast(release, NAUTILUS)) out |= RELEASE_FLAG.pglogHardlimit;
  if (isAtLeast(release, LUMINOUS)) out = (out & ~LEGACY) | RELEASE_FLAG.recoveryDeletes;
  return out >>> 0;
}
