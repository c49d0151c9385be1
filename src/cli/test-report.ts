/** What `crush-wasm test` found, for those who write it, and how they name things. */
import type { Distribution, Share, ShareLevel } from '../analysis/distribution.ts';
import type { Finding } from '../analysis/findings.ts';
import type { CrushMap } from '../crush/model.ts';
import { itemName, typeName } from '../crush/names.ts';
import { ruleTypeName } from '../crush/rule-text.ts';
import type { CrushProblem } from '../crush/validate.ts';
import type { MapFile } from '../formats/detect.ts';
import type { TestRun } from './test-runs.ts';

/** A run with what it came to. */
export interface TestResult extends TestRun {
  readonly distribution: Distribution;
  readonly findings: readonly Finding[];
}

/** Everything that the command found. */
export interface TestReport {
  readonly file: MapFile;
  readonly title: string;
  readonly map: CrushMap;
  readonly problems: readonly CrushProblem[];
  /** Why nothing could be mapped, if nothing could. */
  readonly refusal: string | undefined;
  readonly results: readonly TestResult[];
}

/** `1 error, 2 warnings`, or `no problems`. */
export function problemSummary(problems: readonly CrushProblem[]): string {
  if (problems.length === 0) return 'no problems';
  const parts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count === 0 ? [] : [`${number(count)} ${severity}${count === 1 ? '' : 's'}`];
  });
  return parts.join(', ');
}

/** What the rows of a level are: `osd`, `host`, `class`. */
export function levelTitle(map: CrushMap, { kind, type }: ShareLevel): string {
  if (kind === 'class') return 'class';
  return typeName(map, type) ?? (kind === 'device' ? 'osd' : `type ${type}`);
}

/** {@link levelTitle} of several. */
export function levelTitles(map: CrushMap, level: ShareLevel): string {
  const title = levelTitle(map, level);
  return title.endsWith('s') ? `${title}es` : `${title}s`;
}

/** Name of an OSD, bucket or class. */
export function rowName(map: CrushMap, { kind }: ShareLevel, { id }: Share): string {
  if (kind === 'class') return map.classNames.get(id) ?? String(id);
  return itemName(map, id) ?? (id < 0 ? String(id) : `osd.${id}`);
}

/** How far a count is from what was expected, as a part of that; infinite where nothing was expected and some came. */
export function deviation({ count, expected }: Share): number {
  if (expected > 0) return count / expected - 1;
  return count > 0 ? Infinity : 0;
}

/** {@link deviation} in percent, with its sign. */
export function deviationText(row: Share): string {
  const off = deviation(row);
  if (row.expected === 0 && row.count === 0) return '-';
  if (!Number.isFinite(off)) return 'unexpected';
  return `${off >= 0 ? '+' : '-'}${(Math.abs(off) * 100).toFixed(1)} %`;
}

/** Name and size of a run: `rule 0 'rep' (replicated), size 3`. */
export function runTitle(map: CrushMap, { rule, pools, request }: TestRun): string {
  const name = map.ruleNames.get(rule.id);
  const of =
    pools.length === 0
      ? ''
      : `, ${pools.length === 1 ? 'pool' : 'pools'} ${pools.map((pool) => pool.name).join(', ')}`;
  const by =
    request.chooseArgs === undefined
      ? ''
      : `, choose_args ${request.chooseArgs === -1 ? 'default' : request.chooseArgs}`;
  return `rule ${rule.id}${name === undefined ? '' : ` '${name}'`} (${ruleTypeName(rule)}), size ${request.size}${of}${by}`;
}

/** A number with its thousands apart. */
export function number(value: number): string {
  return value.toLocaleString('en-US');
}
