/**
 * In which versions of its structs an OSDMap is written for which releases. A cluster writes its maps for the
 * release that all its OSDs are known to have, whatever its monitors are. Follows `OSDMap::encode`,
 * `pg_pool_t::encode` and `osd_xinfo_t::encode`.
 */
import { RULE_TYPE, type CrushMap } from '../crush/model.ts';
import type { OsdMap, Pool } from '../osdmap/model.ts';
import { isStretchPool } from './pool-encode.ts';
import { RELEASE } from './releases.ts';

/** The least release whose form is written; before it maps had another form of the CRUSH map as well. */
export const OLDEST_WRITTEN_RELEASE = RELEASE.luminous;

/** What a map is written in. */
export interface OsdMapForm {
  readonly clientVersion: number;
  readonly osdVersion: number;
  /** Version of `osd_xinfo_t`. */
  readonly xinfoVersion: number;
  /** Whether OSDs have one endpoint for each purpose, as before Nautilus, and not a list. */
  readonly hasSingleAddrs: boolean;
  readonly poolVersion: (pool: Pool) => number;
  /** Release in whose form the CRUSH map is. */
  readonly crushRelease: number;
}

/** MSR tunables of a map that does not set them. */
const DEFAULT_MSR_TRIES = 100;

/**
 * The form in which the monitors of a release write a map.
 *
 * @param crushRelease - release of the CRUSH map's form, which newer monitors do not adapt to old OSDs
 */
export function formOfRelease(map: OsdMap, release: number, crushRelease = release): OsdMapForm {
  const isNautilus = release >= RELEASE.nautilus;
  const isMimic = release > RELEASE.luminous;
  const { details } = map;
  let osdVersion = isNautilus ? 9 : isMimic ? 6 : 5;
  // A version that holds these is taken only where there is something to hold.
  if (isNautilus && details.stretchModeEnabled) osdVersion = 10;
  if (isNautilus && details.rangeBlocklist.length > 0) osdVersion = 11;
  if (isNautilus && details.allowCrimson) osdVersion = 12;
  const clientVersion = release >= RELEASE.reef ? 10 : isNautilus ? 9 : isMimic ? 7 : 6;
  return {
    clientVersion,
    osdVersion,
    xinfoVersion: release > RELEASE.nautilus ? 4 : 3,
    hasSingleAddrs: !isNautilus,
    poolVersion: ({ details: pool }) => {
      if (!isNautilus) return isMimic ? 27 : 26;
      if (release >= RELEASE.tentacle) return 32;
      return isStretchPool(pool) ? 30 : 29;
    },
    // The tunables of MSR are written once something of the map needs them.
    crushRelease: usesMsr(map.crush) ? crushRelease : Math.min(crushRelease, RELEASE.reef),
  };
}

/** Whether a CRUSH map has what only Squid and newer know (`CrushWrapper::has_nondefault_tunables_msr` and its rules). */
export function usesMsr({ rules, tunables }: CrushMap): boolean {
  return (
    tunables.msrDescents !== DEFAULT_MSR_TRIES ||
    tunables.msrCollisionTries !== DEFAULT_MSR_TRIES ||
    rules.some((rule) => rule?.type === RULE_TYPE.msrFirstn || rule?.type === RULE_TYPE.msrIndep)
  );
}
