/** Pools and rules of the current map. */
import { targetsOf } from '../../../../src/analysis/targets.ts';
import type { CrushRule } from '../../../../src/crush/model.ts';
import { ruleName, typeName } from '../../../../src/crush/names.ts';
import { ruleStepText, ruleTypeName } from '../../../../src/crush/rule-text.ts';
import { MapIndex } from '../../../../src/crush/validate/index-of-map.ts';
import { ruleBlocks } from '../../../../src/crush/validate/rule-blocks.ts';
import { POOL_TYPE, type OsdMap, type Pool } from '../../../../src/osdmap/model.ts';
import { findPoolRule } from '../../../../src/osdmap/pool-rule.ts';
import type { OpenDocument } from '../open-document.ts';
import { toPageError } from '../page-error.ts';
import { PG_FLAG } from './pgs/flags.ts';
import type { PoolRows } from './pgs/pool-rows.ts';
import { rowsOfPool } from './pgs/selection.ts';

/** All pools and all rules. */
export interface PoolsData {
  readonly pools: readonly PoolRow[];
  readonly rules: readonly RuleRow[];
}

/** A pool, and how its PGs are. */
export interface PoolRow {
  readonly id: number;
  readonly name: string;
  readonly type: 'replicated' | 'erasure' | 'unknown';
  readonly size: number;
  readonly minSize: number;
  readonly pgNum: number;
  readonly pgpNum: number;
  /** What pg_num is on its way to, where that is another number. */
  readonly pgNumTarget: number | undefined;
  readonly autoscale: 'off' | 'warn' | 'on';
  readonly applications: readonly string[];
  readonly profile: string;
  /** The rule that maps it, or -1. */
  readonly rule: number;
  readonly ruleName: string;
  /** How the PGs' sets are, or why they could not be mapped. */
  readonly pgs: PgStates | string;
}

/** How many PGs of a pool are in which state. */
export interface PgStates {
  /** Acting sets with fewer OSDs than the pool's size. */
  readonly undersized: number;
  /** Acting sets with fewer OSDs than min_size, or with none: they serve nothing. */
  readonly inactive: number;
  /** Acting sets that are others than the up sets. */
  readonly remapped: number;
  /** PGs with an upmap of any kind. */
  readonly upmapped: number;
}

/** A rule, in words. */
export interface RuleRow {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  /** Its steps, as the CRUSH map's text has them. */
  readonly steps: readonly string[];
  /** Types of buckets of which a PG has at most one OSD each, as the rule's steps choose them. */
  readonly failureDomains: readonly string[];
  /** OSDs that it can choose: below its takes, with a weight, and in. */
  readonly osds: number;
  /** 16.16 CRUSH weight of these. */
  readonly weight: number;
  /** Pools that it maps, by id. */
  readonly pools: readonly number[];
}

/** Pools in the order of the map, rules by number. */
export function pools(document: OpenDocument): PoolsData {
  const map = document.current;
  const index = new MapIndex(map.crush, map.osdWeight);
  const rows = [...map.pools.values()].map((pool) => poolRow(document, map, pool));
  return {
    pools: rows,
    rules: map.crush.rules
      .filter((rule) => rule !== undefined)
      .map((rule) => ruleRow(map, index, rule, rows)),
  };
}

const AUTOSCALE = ['off', 'warn', 'on'] as const;

function poolRow(document: OpenDocument, map: OsdMap, pool: Pool): PoolRow {
  const { details } = pool;
  const rule = findPoolRule(map.crush, pool, Number.POSITIVE_INFINITY);
  const target = details.pgNumTarget;
  return {
    id: pool.id,
    name: pool.name,
    type:
      pool.type === POOL_TYPE.replicated
        ? 'replicated'
        : pool.type === POOL_TYPE.erasure
          ? 'erasure'
          : 'unknown',
    size: pool.size,
    minSize: pool.minSize,
    pgNum: pool.pgNum,
    pgpNum: pool.pgpNum,
    pgNumTarget: target === 0 || target === pool.pgNum ? undefined : target,
    autoscale: AUTOSCALE[details.pgAutoscaleMode] ?? 'off',
    applications: [...details.applicationMetadata.keys()],
    profile: pool.type === POOL_TYPE.erasure ? details.erasureCodeProfile : '',
    rule,
    ruleName: rule < 0 ? '' : (ruleName(map.crush, rule) ?? String(rule)),
    pgs: statesOf(document, pool),
  };
}

/** Counts what the table of PGs notes of each. */
function statesOf(document: OpenDocument, pool: Pool): PgStates | string {
  let rows: PoolRows;
  try {
    rows = rowsOfPool(document, pool.id);
  } catch (error) {
    return toPageError(error).text;
  }
  const upmap = PG_FLAG.upmap | PG_FLAG.upmapItems | PG_FLAG.upmapPrimary;
  const states = { undersized: 0, inactive: 0, remapped: 0, upmapped: 0 };
  for (const flags of rows.flags) {
    if ((flags & PG_FLAG.undersized) !== 0) states.undersized++;
    if ((flags & PG_FLAG.inactive) !== 0) states.inactive++;
    if ((flags & PG_FLAG.remapped) !== 0) states.remapped++;
    if ((flags & upmap) !== 0) states.upmapped++;
  }
  return states;
}

function ruleRow(map: OsdMap, index: MapIndex, rule: CrushRule, poolRows: readonly PoolRow[]): RuleRow {
  const used = poolRows.filter(({ rule: id }) => id === rule.id);
  const size = used[0]?.size ?? 3;
  const { shares, weights } = targetsOf(index, rule, size, map.osdWeight);
  const reached = shares.reduce((sum, share) => sum + (share > 0 ? 1 : 0), 0);
  const domains = new Set(
    ruleBlocks(rule, map.crush.tunables).flatMap(({ choices }) =>
      choices.map(({ type }) => typeName(map.crush, type) ?? `type ${type}`),
    ),
  );
  return {
    id: rule.id,
    name: ruleName(map.crush, rule.id) ?? `rule ${rule.id}`,
    type: ruleTypeName(rule),
    steps: rule.steps.map((step) => `step ${ruleStepText(map.crush, step)}`),
    failureDomains: [...domains],
    osds: reached,
    weight: weights.reduce((sum, weight, osd) => sum + ((shares[osd] ?? 0) > 0 ? weight : 0), 0),
    pools: used.map(({ id }) => id),
  };
}
