/** The CRUSH map as text, checked while it is edited. Runs in a side worker, but for {@link textApply}. */
import { compareMaps } from '../../../../src/analysis/compare.ts';
import { type MapDifference, mapDifferences } from '../../../../src/analysis/differences.ts';
import { validateOsdMap } from '../../../../src/analysis/health.ts';
import { type CrushMap } from '../../../../src/crush/model.ts';
import { type CrushProblem, validate } from '../../../../src/crush/validate.ts';
import { CrushError } from '../../../../src/errors.ts';
import { decompileCrush } from '../../../../src/formats/crush-text-write.ts';
import { CrushTextPlaces, offsetOf } from '../../../../src/formats/crush-text-places.ts';
import { writeCrushBinary } from '../../../../src/formats/crushmap-encode.ts';
import type { OsdMap } from '../../../../src/osdmap/model.ts';
import { readEditedText } from '../crush-text.ts';
import { withCrushAround } from '../crush-only.ts';
import { OpenDocument } from '../open-document.ts';
import { toPageError, type PageError } from '../page-error.ts';
import { deskMaps } from '../side-desk.ts';
import { type HierarchyRows, hierarchy } from './hierarchy.ts';
import type { DocumentState } from './state.ts';
import { applyDocumentChange } from './what-if.ts';

/** The text of the document's CRUSH map. */
export interface TextStart {
  readonly text: string;
  /** What the text does not say of the map, or why it ends early. */
  readonly notes: readonly string[];
  readonly rows: HierarchyRows;
}

/** A problem at its place in the text. */
export interface TextProblem {
  readonly severity: CrushProblem['severity'];
  /** Place, problem and cure in words. */
  readonly message: string;
  /** Offset of the line that it is about; -1 where no line is. */
  readonly at: number;
}

/** What a text says. */
export interface TextCheck {
  /** Why it cannot be read, with its place. */
  readonly error: (PageError & { readonly at: number }) | undefined;
  readonly problems: readonly TextProblem[];
  /** The hierarchy that it describes; undefined where it cannot be read. */
  readonly rows: HierarchyRows | undefined;
  /** Parts of the text in order: offsets, and the items that they are of. */
  readonly parts: TextParts | undefined;
}

/** Parts of a text, see `CrushTextPlaces.parts`. */
export interface TextParts {
  readonly starts: Int32Array;
  readonly ids: Int32Array;
  /** 0 device, 1 bucket, 2 item, 3 other. */
  readonly kinds: Uint8Array;
}

/** What applying a text would move. */
export interface TextMoves {
  readonly movedShards: number;
  readonly shards: number;
  readonly movedPgs: number;
  readonly pgs: number;
  readonly shortPgs: number;
  /** Things that the text says otherwise than the document's CRUSH map as text. */
  readonly differences: number;
  /** Whether weights of the map have more decimals than text has, so that applying any text changes them. */
  readonly isRounded: boolean;
}

const KINDS = ['device', 'bucket', 'item', 'other'] as const;
/** Problems beyond these are not shown: damaged maps have thousands. */
const MOST_PROBLEMS = 1000;

/** The text of the current CRUSH map. */
export function textStart(): TextStart {
  const { current } = deskMaps();
  const { text, failure } = decompileCrush(current.crush);
  const notes: string[] = [];
  if (failure !== undefined) {
    notes.push(
      `This map has no complete text form: ${failure.error.describe()}. The text ends there, and what follows is ` +
        'missing from it.',
    );
  } else {
    notes.push(...lossNotes(current));
  }
  return { text, notes, rows: rowsOf(current) };
}

/** Checks a text. */
export function textCheck(text: string): TextCheck {
  const { current } = deskMaps();
  let crush: CrushMap;
  try {
    crush = readEditedText(text, current.crush);
  } catch (error) {
    if (!(error instanceof CrushError)) throw error;
    const { line, column } = error.place;
    const at = line === undefined ? 0 : offsetOf(text, line, column ?? 1);
    return { error: { ...toPageError(error), at }, problems: [], rows: undefined, parts: undefined };
  }
  const map = withCrush(crush);
  const places = new CrushTextPlaces(text, crush);
  const problems = deskMaps().isMadeUp ? validate(crush) : validateOsdMap(map);
  const { parts } = places;
  return {
    error: undefined,
    problems: problems.slice(0, MOST_PROBLEMS).map((problem) => ({
      severity: problem.severity,
      message: `${problem.where}: ${problem.message}; ${problem.cure}`,
      at: placeOf(places, problem),
    })),
    rows: rowsOf(map),
    parts: {
      starts: Int32Array.from(parts, ({ start }) => start),
      ids: Int32Array.from(parts, ({ id }) => id),
      kinds: Uint8Array.from(parts, ({ kind }) => KINDS.indexOf(kind)),
    },
  };
}

/**
 * What applying a text would move.
 *
 * @throws CrushError where nothing can be mapped from it, or from the map as it is
 */
export function textMoves(text: string): TextMoves {
  const { current } = deskMaps();
  const after = withCrush(readEditedText(text, current.crush));
  const { total } = compareMaps(current, after, { causes: false });
  const asText = textAgain(current);
  return {
    movedShards: total.movedShards,
    shards: total.shards,
    movedPgs: total.movedPgs,
    pgs: total.pgs,
    shortPgs: total.after.degraded,
    differences: mapDifferences(asText ?? current, after).length,
    isRounded: asText !== undefined && mapDifferences(current, asText).some(isRounding),
  };
}

/** A text as the file that `ceph osd setcrushmap -i` takes. */
export function textBinary(text: string): Blob {
  const { crush } = deskMaps().current;
  const bytes = writeCrushBinary(readEditedText(text, crush));
  return new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' });
}

/**
 * Makes a text the document's CRUSH map, as a change that what-if can take back.
 *
 * @throws CrushError where it cannot be read, or nothing can be mapped from it; nothing has changed then
 */
export function textApply(document: OpenDocument, text: string): DocumentState {
  const crush = readEditedText(text, document.current.crush);
  return applyDocumentChange(document, { kind: 'crushmap', crush });
}

/** The current map with another CRUSH map. Pools that were made up are made up for the rules of that one. */
function withCrush(crush: CrushMap): OsdMap {
  const { original, current, isMadeUp } = deskMaps();
  if (!isMadeUp) return { ...current, crush };
  return withCrushAround(current, crush, Math.max(0, ...original.crush.chooseArgs.keys()));
}

function rowsOf(map: OsdMap): HierarchyRows {
  return hierarchy(
    new OpenDocument({ name: '', file: { kind: 'osdmap', encoding: 'binary', map }, notes: [] }),
  );
}

const again = new WeakMap<OsdMap, OsdMap>();

/** The map as its own text has it; undefined where it has no complete text form. */
function textAgain(map: OsdMap): OsdMap | undefined {
  let found = again.get(map);
  if (found !== undefined) return found;
  const { text, failure } = decompileCrush(map.crush);
  if (failure !== undefined) return undefined;
  try {
    found = withCrush(readEditedText(text, map.crush));
  } catch (error) {
    // Names that no text can have.
    if (error instanceof CrushError) return undefined;
    throw error;
  }
  again.set(map, found);
  return found;
}

/** What is lost on the way to the text and back. */
function lossNotes(map: OsdMap): string[] {
  const asText = textAgain(map);
  if (asText === undefined) {
    return ['The text of this map cannot be read again: it has names that no text can have.'];
  }
  const lost = mapDifferences(map, asText);
  const rounded = lost.filter(isRounding).length;
  const notes: string[] = [];
  if (rounded > 0) {
    notes.push(
      `Text has weights in five decimals, the map has them finer: ${rounded} of them change by up to 0.00002 when the ` +
        'text is applied, as with crushtool.',
    );
  }
  const others = lost.filter((each) => !isRounding(each));
  if (others.length > 0) {
    const some = others.slice(0, 3).map(({ subject, property }) => `${property} of ${subject}`);
    const more = others.length > 3 ? ` and ${others.length - 3} more` : '';
    notes.push(`The text cannot say all of this map. Applying it changes ${some.join(', ')}${more}.`);
  }
  return notes;
}

function isRounding({ kind }: MapDifference): boolean {
  return kind === 'weight' || kind === 'weight-set';
}

function placeOf(places: CrushTextPlaces, { place }: CrushProblem): number {
  const { bucket, item, rule, step, tunable, type, chooseArgs } = place;
  const found =
    (rule === undefined ? undefined : places.rule(rule, step)) ??
    (chooseArgs === undefined ? undefined : places.chooseArgs(chooseArgs)) ??
    (item === undefined ? undefined : places.item(item, bucket)) ??
    (bucket === undefined ? undefined : places.bucket(bucket)) ??
    (item === undefined ? undefined : (places.item(item) ?? places.device(item) ?? places.bucket(item))) ??
    (tunable === undefined ? undefined : places.tunable(tunable)) ??
    (type === undefined ? undefined : places.type(type));
  return found ?? -1;
}
