/** A list of differences under construction. */

/** What a difference is of. */
export const DIFFERENCE_KINDS = [
  'map',
  'pool',
  'osd',
  'hierarchy',
  'weight',
  'device-class',
  'rule',
  'tunable',
  'weight-set',
  'upmap',
  'temp',
] as const;
/** One of {@link DIFFERENCE_KINDS}. */
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** One thing that is not the same in two maps. */
export interface MapDifference {
  readonly kind: DifferenceKind;
  /** What it is of, in words: `osd.3`, `host node1`, `pool 4 (rbd)`, `PG 4.1f`. */
  readonly subject: string;
  /** Which property differs, by Ceph's name: `reweight`, `pg_num`, `parent`. */
  readonly property: string;
  /** The value in the map before; undefined where the subject or the property is not there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Id of the OSD or bucket that it is of. */
  readonly item?: number;
  readonly pool?: number;
}

/** What a difference is of, as {@link DifferenceList.add} takes it. */
export type Subject = Pick<MapDifference, 'kind' | 'subject' | 'item' | 'pool'>;

/** Gathers what differs. */
export class DifferenceList {
  readonly found: MapDifference[] = [];

  /** Adds a property of a subject, if its values differ. */
  add(subject: Subject, property: string, before: string | undefined, after: string | undefined): void {
    if (before !== after) this.found.push({ ...subject, property, before, after });
  }
}

/** A field's name as Ceph has it: `pgNum` is `pg_num`. */
export function fieldName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A primitive, or what primitives are in: arrays, Maps, records. */
type PlainValue = string | number | bigint | boolean | null | undefined | object;

/** Plain data as one line of text; equal data has equal text. */
export function plainText(value: PlainValue): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Map) {
    const entries = [...value].map(([key, each]) => `${String(key)}: ${plainText(each as PlainValue) ?? ''}`);
    return `{${entries.sort().join(', ')}}`;
  }
  if (Array.isArray(value)) return `[${value.map((each) => plainText(each as PlainValue) ?? '').join(', ')}]`;
  if (ArrayBuffer.isView(value)) return `[${Array.from(value as Uint32Array).join(', ')}]`;
  if (typeof value === 'object' && value !== null) return plainText(new Map(Object.entries(value)));
  return String(value);
}
