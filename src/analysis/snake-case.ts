/** JSON for programs, with names as Ceph's own JSON has them. */

/**
 * A value for `JSON.stringify` in which the fields of objects have names in snake case. What is keyed by data, not by
 * fields, is a Map, whose keys stay as they are.
 *
 * @example
 * ```ts
 * snakeCaseJson({ pgNum: 8, byType: new Map([['myHost', 2]]) }); // { pg_num: 8, by_type: { myHost: 2 } }
 * ```
 */
export function snakeCaseJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCaseJson);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, each]) => [String(key), snakeCaseJson(each)]));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [snakeCase(name), snakeCaseJson(each)]),
  );
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
