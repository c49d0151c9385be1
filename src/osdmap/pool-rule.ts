/**
 * Which CRUSH rule a pool uses.
 */
import type { CrushMap } from '../crush/model.ts';
import type { Pool } from './model.ts';

/** The last release whose rules apply to some types and sizes of pools only. */
const LAST_WITH_RULE_MASKS = 16;

/**
 * The number of the rule that maps a pool, or -1 when there is none: its PGs map to nothing then.
 *
 * Newer releases take the pool's rule by number. Up to 16 the pool names a ruleset, and the first rule counts whose
 * ruleset, type and sizes fit (`CrushWrapper::find_rule`). A map in which a ruleset is not its rule's number can only
 * be meant the old way.
 *
 * @param release - the release to follow
 */
export function findPoolRule(crush: CrushMap, pool: Pool, release: number): number {
  const wanted = pool.crushRule;
  const { rules } = crush;
  const oldNumbers = rules.some((rule, number) => rule !== undefined && rule.ruleset !== number);
  if (release > LAST_WITH_RULE_MASKS && !oldNumbers) return rules[wanted] === undefined ? -1 : wanted;
  return rules.findIndex(
    (rule) =>
      rule?.ruleset === wanted &&
      rule.type === pool.type &&
      rule.minSize <= pool.size &&
      rule.maxSize >= pool.size,
  );
}
