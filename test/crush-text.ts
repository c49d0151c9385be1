/**
 * Writes a map in crushtool's text form, for crushtool to compile. Only what the text form can say is kept; what
 * crushtool computes itself (sums, straws, shadow buckets) it computes anew.
 */
import { BUCKET_ALGORITHM, RULE_OP, RULE_TYPE, WEIGHT_ONE } from '../src/crush/model.ts';
import type { CrushBucket, CrushMap, CrushRule, CrushRuleStep } from '../src/crush/model.ts';

const ALGORITHM_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(BUCKET_ALGORITHM).map(([name, number]) => [number, name]),
);

const SETTING_NAMES: ReadonlyMap<number, string> = new Map([
  [RULE_OP.setChooseTries, 'set_choose_tries'],
  [RULE_OP.setChooseleafTries, 'set_chooseleaf_tries'],
  [RULE_OP.setChooseLocalTries, 'set_choose_local_tries'],
  [RULE_OP.setChooseLocalFallbackTries, 'set_choose_local_fallback_tries'],
  [RULE_OP.setChooseleafVaryR, 'set_chooseleaf_vary_r'],
  [RULE_OP.setChooseleafStable, 'set_chooseleaf_stable'],
]);

/** The map as text; shadow buckets appear as the ids of the buckets they shadow. */
export function crushText(map: CrushMap): string {
  const { tunables } = map;
  const lines = [
    `tunable choose_local_tries ${tunables.chooseLocalTries}`,
    `tunable choose_local_fallback_tries ${tunables.chooseLocalFallbackTries}`,
    `tunable choose_total_tries ${tunables.chooseTotalTries}`,
    `tunable chooseleaf_descend_once ${tunables.chooseleafDescendOnce}`,
    `tunable chooseleaf_vary_r ${tunables.chooseleafVaryR}`,
    `tunable chooseleaf_stable ${tunables.chooseleafStable}`,
    `tunable straw_calc_version ${tunables.strawCalcVersion}`,
    `tunable allowed_bucket_algs 62`,
  ];
  for (const [id, name] of map.itemNames) {
    if (id < 0) continue;
    const classId = map.itemClasses.get(id);
    lines.push(
      `device ${id} ${name}${classId === undefined ? '' : ` class ${map.classNames.get(classId)!}`}`,
    );
  }
  for (const [type, name] of map.typeNames) lines.push(`type ${type} ${name}`);

  const shadows = shadowIds(map);
  const buckets = map.buckets.filter((bucket) => bucket !== undefined && !shadows.has(bucket.id));
  // A bucket's items must be defined above it.
  const height = (bucket: CrushBucket): number =>
    1 +
    Math.max(
      0,
      ...[...bucket.items].filter((item) => item < 0).map((item) => height(map.buckets[-1 - item]!)),
    );
  for (const bucket of buckets.sort((a, b) => height(a!) - height(b!)))
    lines.push(...bucketText(map, bucket!));
  for (const rule of map.rules) if (rule !== undefined) lines.push(...ruleText(map, rule, shadows));
  for (const [index, args] of map.chooseArgs) {
    lines.push(`choose_args ${index} {`);
    for (const [id, { weightSet, ids }] of args) {
      lines.push('  {', `    bucket_id ${id}`);
      if (weightSet !== undefined) {
        const sets = weightSet.map((weights) => `[ ${[...weights].map(fixed).join(' ')} ]`);
        lines.push(`    weight_set [ ${sets.join(' ')} ]`);
      }
      if (ids !== undefined) lines.push(`    ids [ ${ids.join(' ')} ]`);
      lines.push('  }');
    }
    lines.push('}');
  }
  return `${lines.join('\n')}\n`;
}

/** Class of each shadow bucket, with the bucket it shadows. */
function shadowIds(map: CrushMap): ReadonlyMap<number, { of: number; className: string }> {
  const shadows = new Map<number, { of: number; className: string }>();
  for (const [of, byClass] of map.classBuckets) {
    for (const [classId, id] of byClass) shadows.set(id, { of, className: map.classNames.get(classId)! });
  }
  return shadows;
}

function bucketText(map: CrushMap, bucket: CrushBucket): string[] {
  const lines = [
    `${map.typeNames.get(bucket.type)!} ${map.itemNames.get(bucket.id)!} {`,
    `  id ${bucket.id}`,
  ];
  for (const [classId, id] of map.classBuckets.get(bucket.id) ?? []) {
    lines.push(`  id ${id} class ${map.classNames.get(classId)!}`);
  }
  lines.push(`  alg ${ALGORITHM_NAMES.get(bucket.alg)!}`, `  hash ${bucket.hash}`);
  bucket.items.forEach((item, i) => {
    lines.push(`  item ${map.itemNames.get(item)!} weight ${fixed(weightOf(bucket, i))}`);
  });
  return [...lines, '}'];
}

/** 16.16 weight of a bucket's item, whatever the algorithm keeps it in. */
function weightOf(bucket: CrushBucket, index: number): number {
  if (bucket.alg === BUCKET_ALGORITHM.uniform) return bucket.itemWeight;
  if (bucket.alg === BUCKET_ALGORITHM.tree) return bucket.nodeWeights[2 * index + 1]!;
  return bucket.itemWeights[index]!;
}

function ruleText(
  map: CrushMap,
  rule: CrushRule,
  shadows: ReadonlyMap<number, { of: number; className: string }>,
): string[] {
  const type = rule.type === RULE_TYPE.erasure ? 'erasure' : 'replicated';
  const sizes = [`  min_size ${rule.minSize}`, `  max_size ${rule.maxSize}`];
  const lines = [`rule ${map.ruleNames.get(rule.id)!} {`, `  id ${rule.id}`, `  type ${type}`, ...sizes];
  for (const step of rule.steps) lines.push(`  step ${stepText(map, step, shadows)}`);
  return [...lines, '}'];
}

function stepText(
  map: CrushMap,
  step: CrushRuleStep,
  shadows: ReadonlyMap<number, { of: number; className: string }>,
): string {
  const choose = (word: string): string => `${word} ${step.arg1} type ${map.typeNames.get(step.arg2)!}`;
  switch (step.op) {
    case RULE_OP.take: {
      const shadow = shadows.get(step.arg1);
      if (shadow === undefined) return `take ${map.itemNames.get(step.arg1)!}`;
      return `take ${map.itemNames.get(shadow.of)!} class ${shadow.className}`;
    }
    case RULE_OP.chooseFirstn:
      return choose('choose firstn');
    case RULE_OP.chooseIndep:
      return choose('choose indep');
    case RULE_OP.chooseleafFirstn:
      return choose('chooseleaf firstn');
    case RULE_OP.chooseleafIndep:
      return choose('chooseleaf indep');
    case RULE_OP.emit:
      return 'emit';
    default: {
      const name = SETTING_NAMES.get(step.op);
      if (name === undefined) throw new Error(`rule step ${step.op} has no text form`);
      return `${name} ${step.arg1}`;
    }
  }
}

/** A 16.16 number in decimal, exactly. */
function fixed(weight: number): string {
  return (weight / WEIGHT_ONE).toFixed(16).replace(/0+$/, '0');
}
