/** Checks of rules against each other, and of the blocks of one rule: OSDs and failure domains they share. */
import { RULE_OP, type CrushMap } from '../model.ts';
import type { Capacity } from './capacity.ts';
import type { MapIndex } from './index-of-map.ts';
import { itemText, type ProblemList } from './problems.ts';
import { ruleBlocks, type RuleBlock } from './rule-blocks.ts';

/** Most blocks of a rule that are compared, each with each. */
const MAX_BLOCKS = 16;

/** Checks what rules, and the blocks of each, share. */
export function checkOverlaps(
  index: MapIndex,
  capacity: Capacity,
  usedRules: ReadonlySet<number> | undefined,
  problems: ProblemList,
): void {
  checkRoots(index, usedRules, problems);
  for (const [id, rule] of index.map.rules.entries()) {
    if (rule === undefined) continue;
    const blocks = ruleBlocks(rule, index.map.tunables).slice(0, MAX_BLOCKS);
    checkBlocks(index, capacity, id, blocks, problems);
  }
}

/**
 * Rules whose first takes are different and hold some of the same OSDs. Ceph counts a pool's capacity by the first
 * take of its rule (`CrushWrapper::get_rule_root` in the manager's pg_autoscaler), and passes over such pools.
 */
function checkRoots(
  index: MapIndex,
  usedRules: ReadonlySet<number> | undefined,
  problems: ProblemList,
): void {
  const { map } = index;
  const takes = new Map<number, number>();
  for (const [id, rule] of map.rules.entries()) {
    if (usedRules?.has(id) === false) continue;
    const take = rule?.steps.find(({ op }) => op === RULE_OP.take)?.arg1;
    if (take !== undefined && take < 0 && !takes.has(take)) takes.set(take, id);
  }
  if (takes.size < 2) return;
  const owners = new Map<number, number>();
  for (const [take, rule] of takes) {
    const shared = new Map<number, number>();
    for (const device of devicesBelow(index, take)) {
      const owner = owners.get(device);
      if (owner === undefined) owners.set(device, take);
      else shared.set(owner, (shared.get(owner) ?? 0) + 1);
    }
    for (const [owner, count] of shared) {
      const other = takes.get(owner) ?? 0;
      problems.add(
        'overlapping-roots',
        { rule, item: take },
        `it takes ${itemText(map, take)}, and rule ${other}${ruleTitle(map, other)} takes ${itemText(map, owner)}; ` +
          `they have ${count} OSDs in common, so that pg_autoscaler leaves pools of both alone`,
        'let every rule take one class of the same root, or let all take the root',
      );
    }
  }
}

function ruleTitle({ ruleNames }: CrushMap, id: number): string {
  const name = ruleNames.get(id);
  return name === undefined ? '' : ` (${name})`;
}

function devicesBelow(index: MapIndex, top: number): Set<number> {
  const devices = new Set<number>();
  const bucket = index.bucket(top);
  for (const each of bucket === undefined ? [] : index.below(bucket)) {
    for (const item of each.items) if (item >= 0) devices.add(item);
  }
  return devices;
}

/** Blocks choose each for itself: what two of them can both choose may come twice. */
function checkBlocks(
  index: MapIndex,
  capacity: Capacity,
  rule: number,
  blocks: readonly RuleBlock[],
  problems: ProblemList,
): void {
  if (blocks.length < 2) return;
  const devices = blocks.map(({ take }) => (take >= 0 ? new Set([take]) : devicesBelow(index, take)));
  for (const [later, block] of blocks.entries()) {
    for (const [earlier, before] of blocks.slice(0, later).entries()) {
      const place = { rule, step: block.step };
      const shared = commonCount(devices[later] ?? new Set(), devices[earlier] ?? new Set());
      if (shared > 0) {
        problems.add(
          'blocks-share-osds',
          place,
          `this take and that of step ${before.step} have ${shared} OSDs in common; ` +
            `each chooses for itself, so a PG may get an OSD twice`,
          'take classes or buckets that have nothing in common',
        );
        continue;
      }
      const domains = domainsOf(index, capacity, block);
      const others = domainsOf(index, capacity, before);
      if (domains === undefined || others?.type !== domains.type) continue;
      const both = commonCount(domains.ids, others.ids);
      if (both === 0) continue;
      const type = index.map.typeNames.get(domains.type) ?? `type ${domains.type}`;
      problems.add(
        'blocks-share-domains',
        place,
        `this take and that of step ${before.step} have OSDs in ${both} of the same buckets of type ${type}; ` +
          `each chooses for itself, so a PG may have two of its OSDs in one ${type}`,
        `keep the OSDs of each take on ${type}s of their own, or count on one failure less`,
      );
    }
  }
}

/** The buckets that a block spreads OSDs over, as originals of shadows; undefined where it spreads over OSDs only. */
function domainsOf(
  index: MapIndex,
  capacity: Capacity,
  { take, choices }: RuleBlock,
): { readonly type: number; readonly ids: ReadonlySet<number> } | undefined {
  const type = choices.findLast((choice) => choice.type !== 0)?.type;
  if (type === undefined || take >= 0) return undefined;
  const { ids } = capacity.domains(take, type);
  return { type, ids: new Set(ids.map((id) => index.originalOf(id))) };
}

function commonCount(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  let count = 0;
  for (const each of a) if (b.has(each)) count++;
  return count;
}
