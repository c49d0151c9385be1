/**
 * `crushtool --dump`: the map as structured data, which `ceph osd crush dump` prints too. Follows
 * `CrushWrapper::dump` (Ceph's src/crush/CrushWrapper.cc).
 */
import {
  BUCKET_ALGORITHM,
  HASH_RJENKINS1,
  RULE_OP,
  RULE_TYPE,
  type CrushMap,
  type CrushRule,
  type CrushRuleStep,
  type CrushTunables,
} from '../../crush/model.ts';
import { bucketItemWeight, itemClassName, itemName, ruleName, typeName } from '../../crush/names.ts';
import { RELEASE } from '../../formats/releases.ts';
import type { Formatter } from '../formatter/formatter.ts';
import { PACIFIC } from '../release-option.ts';

/** Dumps a map into the section that is open, as a release does. */
export function dumpCrushMap(map: CrushMap, release: number, formatter: Formatter): void {
  section(formatter, 'array', 'devices', () => dumpDevices(map, formatter));
  section(formatter, 'array', 'types', () => dumpTypes(map, formatter));
  section(formatter, 'array', 'buckets', () => dumpBuckets(map, formatter));
  section(formatter, 'array', 'rules', () => {
    for (const rule of map.rules) if (rule !== undefined) dumpRule(map, rule, release, formatter);
  });
  section(formatter, 'object', 'tunables', () => dumpTunables(map, release, formatter));
  section(formatter, 'object', 'choose_args', () => dumpChooseArgs(map, formatter));
}

/** Whether anything in a map is for MSR rules, which Squid brought. */
export function usesMsr({ rules, tunables }: CrushMap): boolean {
  const ops: readonly number[] = [RULE_OP.chooseMsr, RULE_OP.setMsrDescents, RULE_OP.setMsrCollisionTries];
  return (
    setsMsr(tunables) || rules.some((rule) => isMsr(rule) || rule?.steps.some(({ op }) => ops.includes(op)))
  );
}

function dumpDevices(map: CrushMap, formatter: Formatter): void {
  for (let id = 0; id < map.maxDevices; id++) {
    section(formatter, 'object', 'device', () => {
      formatter.dumpInt('id', id);
      formatter.dumpString('name', itemName(map, id) ?? `device${id}`);
      const deviceClass = itemClassName(map, id);
      if (deviceClass !== undefined) formatter.dumpString('class', deviceClass);
    });
  }
}

function dumpTypes({ typeNames }: CrushMap, formatter: Formatter): void {
  // Where devices have no name for their kind, it is made up.
  const named = typeNames.size > 0 && !typeNames.has(0) ? [[0, 'device'] as const, ...typeNames] : typeNames;
  for (const [id, name] of [...named].sort(([a], [b]) => a - b)) {
    section(formatter, 'object', 'type', () => {
      formatter.dumpInt('type_id', id);
      formatter.dumpString('name', name);
    });
  }
}

const ALGORITHM_NAMES = Object.fromEntries(
  Object.entries(BUCKET_ALGORITHM).map(([name, number]) => [number, name]),
);

function dumpBuckets(map: CrushMap, formatter: Formatter): void {
  for (const bucket of map.buckets) {
    if (bucket === undefined) continue;
    section(formatter, 'object', 'bucket', () => {
      formatter.dumpInt('id', bucket.id);
      const name = itemName(map, bucket.id);
      if (name !== undefined) formatter.dumpString('name', name);
      formatter.dumpInt('type_id', bucket.type);
      const type = typeName(map, bucket.type);
      if (type !== undefined) formatter.dumpString('type_name', type);
      // Ceph takes weights for signed here.
      formatter.dumpInt('weight', bucket.weight | 0);
      formatter.dumpString('alg', ALGORITHM_NAMES[bucket.alg] ?? 'unknown');
      formatter.dumpString('hash', bucket.hash === HASH_RJENKINS1 ? 'rjenkins1' : 'unknown');
      section(formatter, 'array', 'items', () => {
        bucket.items.forEach((id, position) => {
          section(formatter, 'object', 'item', () => {
            formatter.dumpInt('id', id);
            formatter.dumpInt('weight', bucketItemWeight(bucket, position) | 0);
            formatter.dumpInt('pos', position);
          });
        });
      });
    });
  }
}

function dumpRule(map: CrushMap, rule: CrushRule, release: number, formatter: Formatter): void {
  section(formatter, 'object', 'rule', () => {
    formatter.dumpInt('rule_id', rule.id);
    const name = ruleName(map, rule.id);
    if (name !== undefined) formatter.dumpString('rule_name', name);
    const hasMask = release <= PACIFIC;
    if (hasMask) formatter.dumpInt('ruleset', rule.ruleset);
    formatter.dumpInt('type', rule.type);
    if (hasMask) {
      formatter.dumpInt('min_size', rule.minSize);
      formatter.dumpInt('max_size', rule.maxSize);
    }
    section(formatter, 'array', 'steps', () => {
      for (const step of rule.steps) {
        section(formatter, 'object', 'step', () => dumpStep(map, step, release, formatter));
      }
    });
  });
}

const CHOOSE_NAMES: Readonly<Record<number, string>> = {
  [RULE_OP.chooseFirstn]: 'choose_firstn',
  [RULE_OP.chooseIndep]: 'choose_indep',
  [RULE_OP.chooseleafFirstn]: 'chooseleaf_firstn',
  [RULE_OP.chooseleafIndep]: 'chooseleaf_indep',
};

/** Steps that set a number and have a name here; the others have only their number. */
const SET_NAMES: Readonly<Record<number, string>> = {
  [RULE_OP.setChooseTries]: 'set_choose_tries',
  [RULE_OP.setChooseleafTries]: 'set_chooseleaf_tries',
};

/** The same from Squid on. */
const SQUID_CHOOSE_NAMES: Readonly<Record<number, string>> = {
  ...CHOOSE_NAMES,
  [RULE_OP.chooseMsr]: 'choosemsr',
};
const SQUID_SET_NAMES: Readonly<Record<number, string>> = {
  ...SET_NAMES,
  [RULE_OP.setMsrDescents]: 'set_msr_descents',
  [RULE_OP.setMsrCollisionTries]: 'set_msr_collision_tries',
};

function dumpStep(
  map: CrushMap,
  { op, arg1, arg2 }: CrushRuleStep,
  release: number,
  formatter: Formatter,
): void {
  const choose = (release >= RELEASE.squid ? SQUID_CHOOSE_NAMES : CHOOSE_NAMES)[op];
  const set = (release >= RELEASE.squid ? SQUID_SET_NAMES : SET_NAMES)[op];
  if (op === RULE_OP.noop) formatter.dumpString('op', 'noop');
  else if (op === RULE_OP.emit) formatter.dumpString('op', 'emit');
  else if (op === RULE_OP.take) {
    formatter.dumpString('op', 'take');
    formatter.dumpInt('item', arg1);
    formatter.dumpString('item_name', itemName(map, arg1) ?? '');
  } else if (choose !== undefined) {
    formatter.dumpString('op', choose);
    formatter.dumpInt('num', arg1);
    formatter.dumpString('type', typeName(map, arg2) ?? '');
  } else if (set !== undefined) {
    formatter.dumpString('op', set);
    formatter.dumpInt('num', arg1);
  } else {
    formatter.dumpInt('opcode', op);
    formatter.dumpInt('arg1', arg1);
    formatter.dumpInt('arg2', arg2);
  }
}

/** Algorithms that may be used: uniform, list and straw, and, since Hammer, straw2. */
const LEGACY_ALGORITHMS = (1 << 1) | (1 << 2) | (1 << 4);
const HAMMER_ALGORITHMS = LEGACY_ALGORITHMS | (1 << 5);

/**
 * Values of a profile in the order local tries, fallback tries, total tries, descend_once, vary_r, stable,
 * allowed algorithms.
 */
const PROFILES: readonly (readonly [name: string, values: readonly number[]])[] = [
  ['jewel', [0, 0, 50, 1, 1, 1, HAMMER_ALGORITHMS]],
  ['hammer', [0, 0, 50, 1, 1, 0, HAMMER_ALGORITHMS]],
  ['firefly', [0, 0, 50, 1, 1, 0, LEGACY_ALGORITHMS]],
  ['bobtail', [0, 0, 50, 1, 0, 0, LEGACY_ALGORITHMS]],
  ['argonaut', [2, 5, 19, 0, 0, 0, LEGACY_ALGORITHMS]],
];

/** MSR tunables of a map that was not told others. */
const DEFAULT_MSR_TRIES = 100;

function dumpTunables(map: CrushMap, release: number, formatter: Formatter): void {
  const { tunables } = map;
  const hasMsr = release >= RELEASE.squid;
  const values = [
    tunables.chooseLocalTries,
    tunables.chooseLocalFallbackTries,
    tunables.chooseTotalTries,
    tunables.chooseleafDescendOnce,
    tunables.chooseleafVaryR,
    tunables.chooseleafStable,
    tunables.allowedBucketAlgs,
  ];
  const profile = PROFILES.find(([, wanted]) => wanted.every((value, i) => value === values[i]))?.[0];
  const needs = needsOf(map);
  const numbers: [name: string, value: number | boolean][] = [
    ['choose_local_tries', tunables.chooseLocalTries],
    ['choose_local_fallback_tries', tunables.chooseLocalFallbackTries],
    ['choose_total_tries', tunables.chooseTotalTries],
    ['chooseleaf_descend_once', tunables.chooseleafDescendOnce],
    ['chooseleaf_vary_r', tunables.chooseleafVaryR],
    ['chooseleaf_stable', tunables.chooseleafStable],
  ];
  if (hasMsr) {
    numbers.push(['msr_descents', tunables.msrDescents], ['msr_collision_tries', tunables.msrCollisionTries]);
  }
  numbers.push(
    ['straw_calc_version', tunables.strawCalcVersion],
    ['allowed_bucket_algs', tunables.allowedBucketAlgs],
  );
  dumpNumbers(formatter, numbers);
  formatter.dumpString('profile', profile ?? 'unknown');
  dumpNumbers(formatter, [
    ['optimal_tunables', profile === 'jewel'],
    ['legacy_tunables', profile === 'argonaut'],
  ]);
  formatter.dumpString('minimum_required_version', minimumVersion(tunables, needs, hasMsr));
  dumpNumbers(formatter, [
    ['require_feature_tunables', needs.tunables],
    ['require_feature_tunables2', needs.tunables2],
    ['has_v2_rules', needs.rules2],
    ['require_feature_tunables3', needs.tunables3],
    ['has_v3_rules', needs.rules3],
    ['has_v4_buckets', needs.buckets4],
    ['require_feature_tunables5', needs.tunables5],
    ['has_v5_rules', needs.rules5],
  ]);
  if (hasMsr) dumpNumbers(formatter, [['has_msr_rules', needs.msrRules]]);
}

/** What of a map older releases cannot read; the numbers are those of Ceph's features. */
interface Needs {
  readonly tunables: boolean;
  readonly tunables2: boolean;
  readonly tunables3: boolean;
  readonly tunables5: boolean;
  readonly rules2: boolean;
  readonly rules3: boolean;
  readonly rules5: boolean;
  readonly buckets4: boolean;
  readonly msrRules: boolean;
}

function needsOf({ tunables, rules, buckets }: CrushMap): Needs {
  const ops = new Set(rules.flatMap((rule) => rule?.steps.map(({ op }) => op) ?? []));
  const hasOp = (...wanted: readonly number[]): boolean => wanted.some((op) => ops.has(op));
  return {
    tunables:
      tunables.chooseLocalTries !== 2 ||
      tunables.chooseLocalFallbackTries !== 5 ||
      tunables.chooseTotalTries !== 19,
    tunables2: tunables.chooseleafDescendOnce !== 0,
    tunables3: tunables.chooseleafVaryR !== 0,
    tunables5: tunables.chooseleafStable !== 0,
    rules2: hasOp(
      RULE_OP.chooseIndep,
      RULE_OP.chooseleafIndep,
      RULE_OP.setChooseTries,
      RULE_OP.setChooseleafTries,
    ),
    rules3: hasOp(RULE_OP.setChooseleafVaryR),
    rules5: hasOp(RULE_OP.setChooseleafStable),
    buckets4: buckets.some((bucket) => bucket?.alg === BUCKET_ALGORITHM.straw2),
    msrRules: rules.some(isMsr),
  };
}

function isMsr(rule: CrushRule | undefined): boolean {
  return rule?.type === RULE_TYPE.msrFirstn || rule?.type === RULE_TYPE.msrIndep;
}

function setsMsr({ msrDescents, msrCollisionTries }: CrushTunables): boolean {
  return msrDescents !== DEFAULT_MSR_TRIES || msrCollisionTries !== DEFAULT_MSR_TRIES;
}

/** The oldest release that can use a map, as Squid and newer see it (`CrushWrapper::get_min_required_version`). */
export function minimumRequiredVersion(map: CrushMap): string {
  return minimumVersion(map.tunables, needsOf(map), true);
}

function minimumVersion(tunables: CrushTunables, needs: Needs, hasMsr: boolean): string {
  if (hasMsr && (needs.msrRules || setsMsr(tunables))) return 'squid';
  if (needs.rules5 || needs.tunables5) return 'jewel';
  if (needs.buckets4) return 'hammer';
  if (needs.tunables3) return 'firefly';
  return needs.tunables2 || needs.tunables ? 'bobtail' : 'argonaut';
}

function dumpChooseArgs({ chooseArgs }: CrushMap, formatter: Formatter): void {
  for (const [index, args] of [...chooseArgs].sort(([a], [b]) => a - b)) {
    section(formatter, 'array', String(index), () => {
      for (const [id, { weightSet = [], ids = [] }] of [...args].sort(([a], [b]) => b - a)) {
        if (weightSet.length === 0 && ids.length === 0) continue;
        section(formatter, 'object', 'choose_args', () => {
          formatter.dumpInt('bucket_id', id);
          if (weightSet.length > 0) {
            section(formatter, 'array', 'weight_set', () => {
              for (const weights of weightSet) dumpWeights(weights, formatter);
            });
          }
          if (ids.length > 0) {
            section(formatter, 'array', 'ids', () => {
              for (const each of ids) formatter.dumpInt('id', each);
            });
          }
        });
      }
    });
  }
}

function dumpWeights(weights: Uint32Array, formatter: Formatter): void {
  section(formatter, 'array', 'weights', () => {
    for (const weight of weights) formatter.dumpFloat('weight', Math.fround(weight) / 0x10000);
  });
}

/** Numbers, which Ceph takes for signed; what is true is 1. */
function dumpNumbers(
  formatter: Formatter,
  numbers: readonly (readonly [name: string, value: number | boolean])[],
): void {
  for (const [name, value] of numbers) formatter.dumpInt(name, Number(value) | 0);
}

function section(formatter: Formatter, kind: 'object' | 'array', name: string, dump: () => void): void {
  if (kind === 'object') formatter.openObject(name);
  else formatter.openArray(name);
  dump();
  formatter.close();
}
