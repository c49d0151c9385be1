/** Which inputs, rules and numbers of replicas `crushtool --test` and `--compare` go through. */
import type { CrushMap, CrushRule } from '../../crush/model.ts';
import { PACIFIC } from '../release-option.ts';
import type { CrushtoolOptions } from './options.ts';

/** First and last input. Both ends have to be given and not below 0, or neither counts. */
export function inputRange({ minX, maxX }: CrushtoolOptions): { firstX: number; lastX: number } {
  return minX >= 0 && maxX >= 0 ? { firstX: minX, lastX: maxX } : { firstX: 0, lastX: 1023 };
}

/** Numbers of rules, and the rules where there are such, in order. */
export function* selectedRules(
  { rules }: CrushMap,
  { minRule, maxRule, ruleset }: CrushtoolOptions,
): Generator<readonly [id: number, rule: CrushRule | undefined]> {
  const hasRange = minRule >= 0 && maxRule >= 0;
  const last = hasRange ? Math.min(maxRule, rules.length - 1) : rules.length - 1;
  for (let id = hasRange ? minRule : 0; id <= last; id++) {
    const rule = rules[id];
    if (rule === undefined || ruleset < 0 || rule.ruleset === ruleset) yield [id, rule];
  }
}

/** The fewest and the most replicas: as given, or, in releases that had them, as the rule has them. */
export function replicasOf(
  rule: CrushRule,
  { minRep, maxRep, release }: CrushtoolOptions,
): { minRep: number; maxRep: number } {
  if (release > PACIFIC || (minRep >= 0 && maxRep >= 0)) return { minRep, maxRep };
  return { minRep: rule.minSize, maxRep: rule.maxSize };
}
