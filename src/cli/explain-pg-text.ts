/** How a PG comes to its OSDs, as text for people. */
import type { OverlayStep, PgTrace } from '../analysis/explain.ts';
import { ITEM_NONE } from '../crush/model.ts';
import { fixedText, setText, type ExplainText } from './explain-text.ts';
import { formatPgId } from './iostream-format.ts';

/** Writes the explanation of a PG. */
export function writePg(text: ExplainText, trace: PgTrace): void {
  const { pgid, pool, object, seed, crush, overlay } = trace;
  const id = formatPgId(pgid.pool, pgid.ps);
  text.add(
    0,
    `PG ${id} of pool ${pool.id} '${pool.name}': ${pool.type}, size ${pool.size}, ${seed.pgNum} PGs`,
  );
  if (object !== undefined) {
    const { name, namespace, key, algorithm, hash } = object;
    const inNamespace = namespace === undefined ? '' : `, namespace '${namespace}'`;
    const byKey = key === undefined ? '' : `, placed by key '${key}'`;
    text.add(1, `object '${name}'${inNamespace}${byKey}`);
    const hashText = `0x${hash.toString(16).padStart(8, '0')}`;
    text.add(1, `hash   ${algorithm} ${hashText}, folded to pg_num ${seed.pgNum}: PG ${id}`);
  }
  if (seed.asked !== seed.ps) {
    text.add(
      1,
      `note   there is no PG ${formatPgId(pool.id, seed.asked)}, which is beyond pg_num ${seed.pgNum}; ` +
        `its seed folds to ${id}, explained here`,
    );
  }
  const input = seed.hashpspool
    ? `hash(${seed.folded}, pool ${pool.id})`
    : `${seed.folded} + pool ${pool.id}`;
  text.add(
    1,
    `seed   ${seed.ps} (${seed.ps.toString(16)} in hexadecimal), folded to pgp_num ${seed.pgpNum}: ${seed.folded}; x = ${input} = ${seed.x}`,
  );
  text.add(1, `rule   ${ruleText(trace)}`);
  text.add(0, '');
  text.rule(crush);
  text.add(0, '');
  text.add(0, 'the OSDMap on top of it');
  for (const step of overlay) for (const line of overlayLines(step)) text.add(1, line);
  if (overlay.length === 0)
    text.add(1, 'changes nothing: all of these OSDs are up, and no exception names this PG');
  text.add(0, '');
  text.add(0, `raw     ${setText(trace.raw)}, ${primaryText(trace.rawPrimary)}`);
  text.add(0, `up      ${setText(trace.up)}, ${primaryText(trace.upPrimary)}`);
  text.add(0, `acting  ${setText(trace.acting)}, ${primaryText(trace.actingPrimary)}`);
}

function primaryText(primary: number): string {
  return primary < 0 ? 'no primary' : `primary ${primary}`;
}

function ruleText({ pool, ruleBy, crush }: PgTrace): string {
  const { id, name, type } = crush.rule;
  if (type === undefined) return `${pool.crushRule}, which the map does not have for such a pool`;
  const named = `${id} '${name ?? ''}'`;
  return ruleBy === 'number'
    ? `${named}, the pool's crush_rule`
    : `${named}, the first of ruleset ${pool.crushRule} for ${pool.type} pools of size ${pool.size}`;
}

function overlayLines(step: OverlayStep): string[] {
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
