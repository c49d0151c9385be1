/** Random changes to a cluster, each of which its map allows. */
import type { MapChange } from '../src/analysis/what-if.ts';
import { RULE_TYPE } from '../src/crush/model.ts';
import { isShadow, itemName, ruleName } from '../src/crush/names.ts';
import { OSD_STATE, type OsdMap, POOL_TYPE } from '../src/osdmap/model.ts';
import type { Random } from './random.ts';

/** A random change; what its OSDs and buckets are called is taken from the map. */
export function randomChange(random: Random, map: OsdMap): MapChange {
  const { crush } = map;
  const existing = [...map.osdState.keys()].filter(
    (osd) => ((map.osdState[osd] ?? 0) & OSD_STATE.exists) !== 0,
  );
  const held = existing.filter((osd) => crush.buckets.some((bucket) => bucket?.items.includes(osd)));
  const target = [`osd.${random.pick(existing)}`];
  const buckets = crush.buckets.flatMap((bucket) =>
    bucket === undefined || isShadow(crush, bucket.id) ? [] : [bucket],
  );
  const hosts = buckets.filter(({ type }) => type === 1).map(({ id }) => itemName(crush, id)!);
  const pool = random.pick([...map.pools.values()]);
  const rules = crush.rules.flatMap((rule) =>
    rule !== undefined && (rule.type === RULE_TYPE.erasure) === (pool.type === POOL_TYPE.erasure)
      ? [ruleName(crush, rule.id)!]
      : [],
  );
  const weight = random.below(400) / 100;
  const osd = random.pick(held);
  const pg = { pool: pool.id, ps: random.below(pool.pgNum) };
  const choices: (() => MapChange)[] = [
    () => ({ kind: 'out', targets: target }),
    () => ({ kind: 'in', targets: target }),
    () => ({ kind: 'down', targets: target }),
    () => ({ kind: 'up', targets: target }),
    () => ({ kind: 'reweight', targets: target, weight: random.below(101) / 100 }),
    () => ({ kind: 'primary-affinity', targets: target, weight: random.below(101) / 100 }),
    () => ({ kind: 'crush-weight', name: `osd.${osd}`, weight }),
    () => ({ kind: 'crush-weight', name: random.pick(hosts), weight: weight + 0.1 }),
    () => ({ kind: 'reweight-subtree', name: random.pick(hosts), weight }),
    () => ({ kind: 'move', names: [`osd.${osd}`], location: { host: random.pick(hosts) } }),
    () => ({ kind: 'remove', targets: [`osd.${osd}`] }),
    () => ({ kind: 'add-osds', osds: [map.maxOsd], weight, location: { host: random.pick(hosts) } }),
    () => ({ kind: 'device-class', targets: target, deviceClass: random.pick(['hdd', 'ssd', 'nvme']) }),
    () => ({ kind: 'tunables', profile: random.pick(['bobtail', 'firefly', 'jewel', 'argonaut']) }),
    () => ({ kind: 'pool', pool: pool.name, field: 'pg_num', value: String(random.between(1, 80)) }),
    () => ({ kind: 'pool', pool: pool.name, field: 'rule', value: random.pick(rules) }),
    () => ({ kind: 'upmap-items', pg, pairs: [[random.pick(existing), random.pick(existing)]] }),
    () => ({ kind: 'rm-upmap-items', pg }),
  ];
  if (pool.type === POOL_TYPE.replicated) {
    choices.push(() => ({
      kind: 'pool',
      pool: pool.name,
      field: 'size',
      value: String(random.between(1, 4)),
    }));
  }
  return random.pick(choices)();
}
