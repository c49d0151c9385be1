/** The words for how a PG comes to its OSDs: its seed, its rule, what the OSDMap lays over the rule's choice. */
import { ITEM_NONE } from '../../crush/model.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import type { ObjectTrace, OverlayStep, PgTrace } from './trace.ts';
import { fixedText, setText } from './words.ts';

/** Where nothing is laid over the rule's choice. */
export const NO_OVERLAY = 'changes nothing: all of these OSDs are up, and no exception names this PG';

/** A PG and its pool. */
export function pgTitle({ pgid, pool, seed }: PgTrace): string {
  const id = formatPgId(pgid.pool, pgid.ps);
  return `PG ${id} of pool ${pool.id} '${pool.name}': ${pool.type}, size ${pool.size}, ${seed.pgNum} PGs`;
}

/** An object's name. */
export function objectText({ name, namespace, key }: ObjectTrace): string {
  const inNamespace = namespace === undefined ? '' : `, namespace '${namespace}'`;
  const byKey = key === undefined ? '' : `, placed by key '${key}'`;
  return `object '${name}'${inNamespace}${byKey}`;
}

/** From an object's hash to its PG. */
export function objectHashText({ algorithm, hash }: ObjectTrace, { pgid, seed }: PgTrace): string {
  const hashed = `0x${hash.toString(16).padStart(8, '0')}`;
  return `${algorithm} ${hashed}, folded to pg_num ${seed.pgNum}: PG ${formatPgId(pgid.pool, pgid.ps)}`;
}

/** That a placement seed was asked for which is beyond pg_num; undefined where it is not. */
export function foldedText({ pgid, pool, seed }: PgTrace): string | undefined {
  if (seed.asked === seed.ps) return undefined;
  return (
    `there is no PG ${formatPgId(pool.id, seed.asked)}, which is beyond pg_num ${seed.pgNum}; ` +
    `its seed folds to ${formatPgId(pgid.pool, pgid.ps)}, explained here`
  );
}

/** From the placement seed to the rule's input. */
export function seedText({ pool, seed }: PgTrace): string {
  const input = seed.hashpspool
    ? `hash(${seed.folded}, pool ${pool.id})`
    : `${seed.folded} + pool ${pool.id}`;
  return `${seed.ps} (${seed.ps.toString(16)} in hexadecimal), folded to pgp_num ${seed.pgpNum}: ${seed.folded}; x = ${input} = ${seed.x}`;
}

/** A primary, or that there is none. */
export function primaryText(primary: number): string {
  return primary < 0 ? 'no primary' : `primary ${primary}`;
}

/** Which rule the PG is mapped by, and how it was found. */
export function ruleText({ pool, ruleBy, crush }: PgTrace): string {
  const { id, name, type } = crush.rule;
  if (type === undefined) return `${pool.crushRule}, which the map does not have for such a pool`;
  const named = `${id} '${name ?? ''}'`;
  return ruleBy === 'number'
    ? `${named}, the pool's crush_rule`
    : `${named}, the first of ruleset ${pool.crushRule} for ${pool.type} pools of size ${pool.size}`;
}

/** What one exception, or the state of OSDs, does to the set. */
export function overlayLines(step: OverlayStep): string[] {
  switch (step.kind) {
    case 'exists':
      return [`${osdList(step.removed)} ${doOrDoes(step.removed)} not exist: ${setText(step.set)}`];
    case 'down':
      return [
        `${osdList(step.removed)} ${step.removed.length === 1 ? 'is' : 'are'} down: ${setText(step.set)}`,
      ];
    case 'upmap': {
      const ignored = `ignored, with all upmaps of this PG, since ${osdList(step.out)} ${step.out.length === 1 ? 'is' : 'are'} out`;
      return [`pg_upmap ${setText(step.osds)}: ${step.applied ? `applied: ${setText(step.set)}` : ignored}`];
    }
    case 'upmap-items':
      return [
        ...step.pairs.map(
          ({ from, to, result }) =>
            `pg_upmap_items ${osdName(from)} -> ${osdName(to)}: ${PAIR_TEXTS[result]}`,
        ),
        `after pg_upmap_items: ${setText(step.set)}`,
      ];
    case 'upmap-primary':
      return [`pg_upmap_primary ${osdName(step.osd)}: ${PRIMARY_TEXTS[step.result]}: ${setText(step.set)}`];
    case 'affinity': {
      const [first] = step.asked;
      if (first?.accepts === true && first.hash === undefined) {
        return [
          `primary affinity leaves ${osdName(first.osd)} primary: its own is ${fixedText(first.affinity)}`,
        ];
      }
      const asked = step.asked.map(({ osd, affinity, hash, accepts }) => {
        const compared =
          hash === undefined ? '' : `, hash ${hash} is ${accepts ? '' : 'not '}below ${affinity}`;
        const answer = accepts ? 'is primary' : 'is passed over';
        return `primary affinity of ${osdName(osd)} is ${fixedText(affinity)}${compared}: ${answer}`;
      });
      const byDefault = step.byDefault
        ? [`all are passed over, so the first is primary: ${osdName(step.primary)}`]
        : [];
      return [...asked, ...byDefault, `after primary affinity: ${setText(step.set)}`];
    }
    case 'pg-temp': {
      const removed = step.removed.length === 0 ? '' : `; ${osdList(step.removed)} of it not up`;
      const reordered = step.reordered ? ', shards put back in their places' : '';
      const result = step.applied
        ? `acting${reordered}: ${setText(step.set)}`
        : 'ignored, nothing of it is left';
      return [`pg_temp ${setText(step.osds)}${removed}: ${result}`];
    }
    case 'primary-temp':
      return [`primary_temp ${osdName(step.osd)}: ${step.applied ? 'acting primary' : 'ignored'}`];
  }
}

const PAIR_TEXTS = {
  applied: 'applied',
  'upmap-ignored': 'ignored with pg_upmap',
  'target-in-set': 'ignored, the target is in the set already',
  'target-out': 'ignored, the target is out',
  'source-not-in-set': 'ignored, the source is not in the set',
} as const;

const PRIMARY_TEXTS = {
  applied: 'swapped with the first',
  'upmap-ignored': 'ignored with pg_upmap',
  'no-such-osd': 'ignored, there is no such OSD',
  'not-in-set': 'ignored, it is not in the set',
  'first-already': 'nothing to do, it is the first',
  out: 'ignored, it is out',
} as const;

function osdName(osd: number): string {
  return osd === ITEM_NONE ? 'none' : `osd.${osd}`;
}

/** OSDs by name; a rule may also give buckets, which are no OSDs. */
function osdList(osds: readonly number[]): string {
  return osds.map((osd) => (osd < 0 ? `bucket ${osd}` : osdName(osd))).join(', ');
}

function doOrDoes(osds: readonly number[]): string {
  return osds.length === 1 ? 'does' : 'do';
}
