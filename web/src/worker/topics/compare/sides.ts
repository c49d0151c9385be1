/** The two maps that are compared. */
import { CrushError } from '../../../../../src/errors.ts';
import type { MapFile } from '../../../../../src/formats/detect.ts';
import type { CrushMap } from '../../../../../src/crush/model.ts';
import { readMapFile } from '../../../../../src/formats/map-file.ts';
import type { OsdMap } from '../../../../../src/osdmap/model.ts';
import { osdMapAround } from '../../crush-only.ts';
import { deskMaps, type DeskMaps } from '../../side-desk.ts';
import type { GivenFile } from '../open.ts';

/** What can stand on either side: the open map as it was read, as it is now, or another file. */
export const COMPARE_SIDES = ['original', 'current', 'other'] as const;
export type CompareSide = (typeof COMPARE_SIDES)[number];

/** Another file in short. */
export interface OtherFile {
  readonly name: string;
  readonly kind: MapFile['kind'];
  /** Epoch of an OSDMap. */
  readonly epoch: number | undefined;
  readonly notes: readonly string[];
}

let other: { readonly name: string; readonly file: MapFile } | undefined;

/**
 * Reads another file, or an OSDMap's JSON and its CRUSH map together.
 *
 * @throws CrushError with the file's name; the one read before stays
 */
export async function compareRead(files: readonly GivenFile[]): Promise<OtherFile> {
  const [first, second] = files;
  const name = files.map((file) => file.name).join(' and ');
  const notes: string[] = [];
  try {
    const file = await readMapFile(first?.bytes ?? new Uint8Array(0), {
      onNote: (note) => notes.push(note),
      ...(second === undefined ? {} : { second: second.bytes }),
    });
    other = { name, file };
    const epoch = file.kind === 'osdmap' ? file.map.epoch : undefined;
    return { name, kind: file.kind, epoch, notes };
  } catch (error) {
    throw error instanceof CrushError ? error.at({ file: name }) : error;
  }
}

/** Maps to compare, and what is to be said of them. */
export interface MapPair {
  readonly before: OsdMap;
  readonly after: OsdMap;
  readonly notes: readonly string[];
}

/**
 * The maps of two sides. A CRUSH map alone is laid into the OSDMap that it is compared with.
 *
 * @throws CrushError `not-found` while another file is wanted and none was read
 */
export function mapPair(before: CompareSide, after: CompareSide): MapPair {
  const desk = deskMaps();
  if (before !== 'other' && after !== 'other') {
    return { before: desk[before], after: desk[after], notes: [] };
  }
  if (other === undefined) throw new CrushError('not-found', 'no other file is chosen');
  const { file, name } = other;
  const side = before === 'other' ? after : before;
  const { own, others, notes } =
    side === 'other'
      ? { own: undefined, others: whole(file), notes: [] }
      : laid(desk, desk[side], file, name);
  const pick = (each: CompareSide): OsdMap => (each === 'other' || own === undefined ? others : own);
  return { before: pick(before), after: pick(after), notes };
}

function laid(
  desk: DeskMaps,
  open: OsdMap,
  file: MapFile,
  name: string,
): { own: OsdMap; others: OsdMap; notes: string[] } {
  if (file.kind === 'osdmap') {
    if (desk.isMadeUp) {
      const note = `${desk.name} is a CRUSH map alone: it is compared as if it were that of ${name}`;
      return { own: { ...file.map, crush: open.crush }, others: file.map, notes: [note] };
    }
    const notes = isSameCluster(open, file.map)
      ? []
      : ['the two maps are of different clusters: their fsids are not the same'];
    return { own: open, others: file.map, notes };
  }
  if (desk.isMadeUp) {
    const sets = Math.max(0, ...open.crush.chooseArgs.keys(), ...file.map.chooseArgs.keys());
    const around = (crush: CrushMap): OsdMap => osdMapAround(crush, sets);
    const note = 'both are CRUSH maps alone: each rule is compared by a pool that is made up for it';
    return { own: around(open.crush), others: around(file.map), notes: [note] };
  }
  const note = `${name} is a CRUSH map alone: it is compared as if it were that of ${desk.name}`;
  return { own: open, others: { ...open, crush: file.map }, notes: [note] };
}

function whole(file: MapFile): OsdMap {
  return file.kind === 'osdmap' ? file.map : osdMapAround(file.map);
}

function isSameCluster(a: OsdMap, b: OsdMap): boolean {
  return a.fsid.every((byte, i) => byte === b.fsid[i]);
}
