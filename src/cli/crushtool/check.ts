/** `crushtool --check`. Follows `CrushTester` (Ceph's src/crush/CrushTester.cc). */
import type { CrushMap, CrushRule } from '../../crush/model.ts';
import { findBucket, itemName, ruleName, typeName } from '../../crush/names.ts';
import { findPlainRoots, walkTree } from './tree.ts';

/**
 * What is wrong with the names that the hierarchy needs, and with the ids of its devices, which must be below
 * `maxId` (0 for any): the first such thing, or undefined (`CrushTester::check_name_maps`).
 */
export function nameProblem(map: CrushMap, maxId: number): string | undefined {
  for (const { id } of walkTree(map, findPlainRoots(map))) {
    const problem = itemProblem(map, id, maxId);
    if (problem !== undefined) return `${problem}: item#${id}`;
  }
  // Devices in no bucket are shown with the name of their type, too.
  return typeName(map, 0) === undefined ? 'unknown type name: item#0' : undefined;
}

/**
 * Rules of which more than one serve a pool of the same rule mask, type and size, as releases up to Pacific report
 * them (`CrushTester::check_overlapped_rules`).
 */
export function* overlappedRules(map: CrushMap): Generator<string> {
  const rules = map.rules
    .filter((rule) => rule !== undefined)
    .sort((a, b) => a.ruleset - b.ruleset || a.type - b.type);
  const groups: CrushRule[][] = [];
  for (const rule of rules) {
    const last = groups.at(-1);
    if (last?.[0]?.ruleset === rule.ruleset && last[0].type === rule.type) last.push(rule);
    else groups.push([rule]);
  }
  for (const group of groups) {
    let last = '';
    for (let size = 0; size < 256; size++) {
      const names = group
        .filter(({ minSize, maxSize }) => minSize <= size && size <= maxSize)
        .map(({ id }) => ruleName(map, id) ?? `rule${id}`);
      const list = [...new Set(names)].sort();
      const text = list.join(', ');
      // Sizes in a row with the same rules are one.
      if (text !== last && list.length > 1)
        yield `overlapped rules in ruleset ${group[0]?.ruleset ?? 0}: ${text}`;
      last = text;
    }
  }
}

function itemProblem(map: CrushMap, id: number, maxId: number): string | undefined {
  if (id < 0 && itemName(map, id) === undefined) return 'unknown item name';
  if (id >= 0 && maxId > 0 && id >= maxId) return 'item id too large';
  const type = id < 0 ? findBucket(map, id)?.type : 0;
  return type === undefined || typeName(map, type) === undefined ? 'unknown type name' : undefined;
}
