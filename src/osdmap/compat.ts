/**
 * The oldest release whose clients understand a map, from the features that the map uses. Follows
 * `OSDMap::get_features` and `OSDMap::get_min_compat_client` (Ceph's src/osd/OSDMap.cc) and the feature tests of
 * `CrushWrapper`.
 */
import { DEFAULT_CHOOSE_ARGS, RULE_OP, RULE_TYPE, type CrushMap, type CrushRule } from '../crush/model.ts';
import { DEFAULT_PRIMARY_AFFINITY, POOL_FLAG, type OsdMap } from './model.ts';

/** Number of the release that knows MSR rules; older ones do not ask for them. */
const SQUID = 19;

/** MSR tunables of a map that does not set them. */
const DEFAULT_MSR_TRIES = 100;

/** Name of the oldest release whose clients can use the map, as `release` sees it. */
export function minCompatClient(map: OsdMap, release: number): string {
  const { crush } = map;
  const { tunables } = crush;
  const rules: CrushRule[] = [];
  let hasHashpspool = false;
  let hasTiers = false;
  for (const pool of map.pools.values()) {
    const rule = crush.rules[pool.crushRule];
    if (rule !== undefined) rules.push(rule);
    hasHashpspool ||= (pool.flags & POOL_FLAG.hashpspool) !== 0n;
    hasTiers ||= pool.details.tiers.length > 0 || pool.details.tierOf >= 0n;
  }
  const uses = (...ops: readonly number[]): boolean =>
    rules.some((rule) => rule.steps.some(({ op }) => ops.includes(op)));

  if (release >= SQUID && usesMsr(crush, rules)) return 'squid';
  if (hasUpmaps(map, release) || hasIncompatibleChooseArgs(crush)) return 'luminous';
  if (tunables.chooseleafStable !== 0 || uses(RULE_OP.setChooseleafStable)) return 'jewel';
  if (crush.buckets.some((bucket) => bucket?.alg === 5)) return 'hammer';
  const hasAffinity = map.osdPrimaryAffinity?.some((affinity) => affinity !== DEFAULT_PRIMARY_AFFINITY);
  if (
    hasAffinity === true ||
    hasTiers ||
    tunables.chooseleafVaryR !== 0 ||
    uses(RULE_OP.setChooseleafVaryR)
  ) {
    return 'firefly';
  }
  if (tunables.chooseleafDescendOnce !== 0 || hasHashpspool) return 'dumpling';
  return 'argonaut';
}

function hasUpmaps(map: OsdMap, release: number): boolean {
  const tables = [map.pgUpmap, map.pgUpmapItems, ...(release > 16 ? [map.pgUpmapPrimaries] : [])];
  return tables.some((table) => table.size > 0);
}

function usesMsr(crush: CrushMap, rules: readonly CrushRule[]): boolean {
  const { msrDescents, msrCollisionTries } = crush.tunables;
  return (
    msrDescents !== DEFAULT_MSR_TRIES ||
    msrCollisionTries !== DEFAULT_MSR_TRIES ||
    rules.some((rule) => rule.type === RULE_TYPE.msrFirstn || rule.type === RULE_TYPE.msrIndep)
  );
}

/** Whether old clients cannot be given the choose_args as weights (`CrushWrapper::has_incompat_choose_args`). */
function hasIncompatibleChooseArgs({ chooseArgs }: CrushMap): boolean {
  if (chooseArgs.size === 0) return false;
  const compat = chooseArgs.get(DEFAULT_CHOOSE_ARGS);
  if (chooseArgs.size > 1 || compat === undefined) return true;
  for (const { weightSet, ids } of compat.values()) {
    const positions = weightSet?.length ?? 0;
    const hasIds = ids !== undefined && ids.length > 0;
    if (hasIds || positions > 1) return true;
  }
  return false;
}
