/** PG ids as people type them. */

/** A PG id such as `4.1f`, or of a shard such as `4.1fs0`; undefined for anything else. */
export function parsePg(text: string): { readonly pool: number; readonly ps: number } | undefined {
  const [, pool, ps] = /^\s*(\d{1,15})\.([0-9a-f]{1,8})(?:s\d{1,3})?\s*$/i.exec(text) ?? [];
  return pool === undefined || ps === undefined ? undefined : { pool: Number(pool), ps: parseInt(ps, 16) };
}
