/** The ways in which the hierarchy's picture can be coloured. */
import { OSD_IN } from '../../../../src/osdmap/model.ts';
import { counted } from '../../parts/format.ts';
import {
  deviation,
  deviationText,
  FILL_STEPS,
  fillColour,
  fillStep,
  NO_SHARE,
} from '../../picture/fill-scale.ts';
import { type LegendEntry, USUAL_MARKS } from '../../picture/legend.tsx';
import { isOsd, reweightOf, stateOf } from '../../picture/rows.ts';
import type { HierarchyLoads } from '../../worker/topics/hierarchy-loads.ts';
import type { HierarchyRows } from '../../worker/topics/hierarchy.ts';

/** A way of colouring, by its name in links. */
export type ColouringId = 'fill' | 'class' | 'state' | 'reweight';

/** The ways, with their titles. */
export const COLOURINGS: readonly (readonly [ColouringId, string])[] = [
  ['fill', 'fill against weight'],
  ['class', 'device class'],
  ['state', 'state'],
  ['reweight', 'reweight'],
];

/** Colours, the second line of boxes, and what the colours mean. */
export interface Colouring {
  readonly colour: (row: number) => string;
  readonly value: (row: number) => string | undefined;
  readonly legend: readonly LegendEntry[];
}

/** A colour that OSDs may have. */
interface Kind {
  readonly colour: string;
  readonly words: string;
}

const BUCKET: Kind = { colour: 'var(--raised)', words: 'bucket' };
const WAITING: Kind = { colour: 'var(--even)', words: '' };
/** Tokens for device classes, in order of their names; there seldom are more than three. */
const CLASS_COLOURS = ['--class-1', '--class-2', '--class-3', '--class-4', '--class-5', '--class-6'] as const;

/** The colours of a way. Without loads, `fill` has one colour for all. */
export function colouringOf(
  id: ColouringId,
  rows: HierarchyRows,
  loads: HierarchyLoads | undefined,
): Colouring {
  switch (id) {
    case 'fill':
      return fillColouring(rows, loads);
    case 'class':
      return osdColouring(rows, classKinds(rows), (row) => rows.classes[row]);
    case 'state':
      return osdColouring(rows, stateKind(rows), (row) => stateOf(rows, row));
    case 'reweight':
      return osdColouring(rows, reweightKind(rows), (row) => reweightOf(rows, row));
  }
}

function fillColouring(rows: HierarchyRows, loads: HierarchyLoads | undefined): Colouring {
  if (loads === undefined)
    return { colour: () => WAITING.colour, value: () => undefined, legend: USUAL_MARKS };
  const deviating = (row: number) => deviation(loads.shards[row] ?? 0, loads.expected[row] ?? 0);
  const counts = [0, 0, 0, 0, 0];
  let without = 0;
  for (let row = 0; row < rows.count; row++) {
    if (!isOsd(rows, row)) continue;
    const step = fillStep(deviating(row));
    if (step < 0) without++;
    else counts[step] = (counts[step] ?? 0) + 1;
  }
  const legend = FILL_STEPS.map(({ token, words }, step) => ({
    colour: `var(${token})`,
    words,
    count: `(${counted(counts[step] ?? 0, 'OSD')})`,
  }));
  if (without > 0) {
    const count = `(${counted(without, 'OSD')})`;
    legend.push({ colour: `var(${NO_SHARE.token})`, words: NO_SHARE.words, count });
  }
  return {
    colour: (row) => fillColour(deviating(row)),
    value: (row) => deviationText(deviating(row)),
    legend: [...legend, ...USUAL_MARKS],
  };
}

/** OSDs by kind; a bucket has the kind of all OSDs below, if they are of one. */
function osdColouring(
  rows: HierarchyRows,
  kindOf: (row: number) => Kind,
  value: Colouring['value'],
): Colouring {
  const kinds = new Array<Kind>(rows.count);
  const counts = new Map<string, { readonly kind: Kind; count: number }>();
  for (let row = rows.count - 1; row >= 0; row--) {
    if (isOsd(rows, row)) {
      const kind = kindOf(row);
      kinds[row] = kind;
      const counter = counts.get(kind.words) ?? { kind, count: 0 };
      counter.count++;
      counts.set(kind.words, counter);
    }
    const own = kinds[row] ?? BUCKET;
    kinds[row] = own;
    const parent = rows.parents[row] ?? -1;
    if (parent < 0) continue;
    const known = kinds[parent];
    kinds[parent] = known === undefined || known.words === own.words ? own : BUCKET;
  }
  const legend = [...counts.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ kind, count }) => ({ ...kind, count: `(${counted(count, 'OSD')})` }));
  const isMixed = kinds.some((kind) => kind === BUCKET);
  return {
    colour: (row) => (kinds[row] ?? BUCKET).colour,
    value,
    legend: [
      ...legend,
      ...(isMixed ? [{ colour: BUCKET.colour, words: 'bucket of several, or of none' }] : []),
      ...USUAL_MARKS,
    ],
  };
}

function classKinds(rows: HierarchyRows): (row: number) => Kind {
  const names = [...new Set(rows.classes)].filter((name) => name !== '').sort();
  const kinds = new Map<string, Kind>([['', { colour: 'var(--even)', words: 'no class' }]]);
  for (const [i, name] of names.entries()) {
    const token = CLASS_COLOURS[i];
    kinds.set(name, token === undefined ? OTHER_CLASS : { colour: `var(${token})`, words: name });
  }
  return (row) => kinds.get(rows.classes[row] ?? '') ?? OTHER_CLASS;
}

const OTHER_CLASS: Kind = { colour: 'var(--quiet)', words: 'another class' };

function stateKind(rows: HierarchyRows): (row: number) => Kind {
  return (row) => {
    const words = stateOf(rows, row).split(', ');
    if (words.includes('does not exist')) return { colour: 'var(--ground)', words: 'not in the OSDMap' };
    const isOut = words.includes('out');
    if (words.includes('down')) {
      return isOut
        ? { colour: 'var(--over-1)', words: 'down and out' }
        : { colour: 'var(--over-2)', words: 'down' };
    }
    return isOut
      ? { colour: 'var(--under-1)', words: 'up and out' }
      : { colour: 'var(--even)', words: 'up and in' };
  };
}

function reweightKind(rows: HierarchyRows): (row: number) => Kind {
  return (row) => {
    const reweight = (rows.reweights[row] ?? 0) / OSD_IN;
    if (reweight === 0) return { colour: 'var(--ground)', words: '0 (out)' };
    if (reweight >= 1) return { colour: 'var(--even)', words: '1' };
    return reweight >= 0.75
      ? { colour: 'var(--under-1)', words: '0.75 to 1' }
      : { colour: 'var(--under-2)', words: 'below 0.75' };
  };
}
