/** Profiles of tunables, as `ceph osd crush tunables` sets them. */
import { LEGACY_TUNABLES, type CrushTunables } from './model.ts';

/** Names of the profiles; `legacy` is argonaut with straw_calc_version 0, `optimal` and `default` jewel with 1. */
export const TUNABLES_PROFILES = [
  'argonaut',
  'bobtail',
  'firefly',
  'hammer',
  'jewel',
  'legacy',
  'optimal',
  'default',
] as const;

/** Name of a profile. */
export type TunablesProfile = (typeof TUNABLES_PROFILES)[number];

/** What a profile sets; a profile that names a release leaves `strawCalcVersion` as it is. */
export function profileTunables(profile: TunablesProfile): Partial<CrushTunables> {
  switch (profile) {
    case 'argonaut':
      return ARGONAUT;
    case 'bobtail':
      return BOBTAIL;
    case 'firefly':
      return FIREFLY;
    case 'hammer':
      return { ...FIREFLY, allowedBucketAlgs: ALLOWED_SINCE_HAMMER };
    case 'jewel':
      return JEWEL;
    case 'legacy':
      return { ...ARGONAUT, strawCalcVersion: 0 };
    case 'optimal':
    case 'default':
      return { ...JEWEL, strawCalcVersion: 1 };
  }
}

/**
 * The profile whose placement tunables a map has, or undefined. Hammer places as firefly does and only allows straw2
 * buckets as well; the allowed algorithms tell which it is.
 */
export function tunablesProfile(tunables: CrushTunables): TunablesProfile | undefined {
  const allowsStraw2 = (tunables.allowedBucketAlgs & (1 << 5)) !== 0;
  const profile = (['argonaut', 'bobtail', 'firefly', 'jewel'] as const).find((name) => {
    const wanted = profileTunables(name);
    return PLACEMENT.every((field) => wanted[field] === tunables[field]);
  });
  return profile === 'firefly' && allowsStraw2 ? 'hammer' : profile;
}

/** The tunables of a profile that the mapper uses. */
const PLACEMENT = [
  'chooseLocalTries',
  'chooseLocalFallbackTries',
  'chooseTotalTries',
  'chooseleafDescendOnce',
  'chooseleafVaryR',
  'chooseleafStable',
] as const satisfies readonly (keyof CrushTunables)[];

const ARGONAUT: Omit<CrushTunables, 'strawCalcVersion'> = {
  chooseLocalTries: LEGACY_TUNABLES.chooseLocalTries,
  chooseLocalFallbackTries: LEGACY_TUNABLES.chooseLocalFallbackTries,
  chooseTotalTries: LEGACY_TUNABLES.chooseTotalTries,
  chooseleafDescendOnce: LEGACY_TUNABLES.chooseleafDescendOnce,
  chooseleafVaryR: LEGACY_TUNABLES.chooseleafVaryR,
  chooseleafStable: LEGACY_TUNABLES.chooseleafStable,
  msrDescents: LEGACY_TUNABLES.msrDescents,
  msrCollisionTries: LEGACY_TUNABLES.msrCollisionTries,
  allowedBucketAlgs: LEGACY_TUNABLES.allowedBucketAlgs,
};

const BOBTAIL = {
  ...ARGONAUT,
  chooseLocalTries: 0,
  chooseLocalFallbackTries: 0,
  chooseTotalTries: 50,
  chooseleafDescendOnce: 1,
};

const FIREFLY = { ...BOBTAIL, chooseleafVaryR: 1 };

/** Straw2 as well. */
const ALLOWED_SINCE_HAMMER = LEGACY_TUNABLES.allowedBucketAlgs | (1 << 5);

const JEWEL = { ...FIREFLY, chooseleafStable: 1, allowedBucketAlgs: ALLOWED_SINCE_HAMMER };

/** Tunables of a new map (`set_tunables_default`). */
export const DEFAULT_TUNABLES: CrushTunables = { ...JEWEL, strawCalcVersion: 1 };
