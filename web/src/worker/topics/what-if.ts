/** What if: changes to the open map, and what they move. */
import type { MapChange } from '../../../../src/analysis/what-if.ts';
import { unreached } from '../../../../src/analysis/what-if/reach.ts';
import type { CrushMap } from '../../../../src/crush/model.ts';
import type { OpenDocument } from '../open-document.ts';
import { type FillSummary, fillSummary, type OsdFills, osdFills } from '../what-if/fill.ts';
import { type FlowSummary, flowSummary } from '../what-if/flows.ts';
import { historyOf, type HistoryState } from '../what-if/history.ts';
import { type LevelName, levelNames } from '../what-if/levels.ts';
import { documentMoves, placedMap, type PoolFailure } from '../what-if/placed.ts';
import type { MoveCounts, PoolMoves } from '../what-if/tally.ts';
import { documentState, type DocumentState } from './state.ts';

/** What the user does. */
export type WhatIfAction =
  | {
      readonly kind: 'make';
      readonly change: MapChange;
      /** The same for all steps of one drag, which then are one change; undefined for a change of its own. */
      readonly gesture?: number;
    }
  | { readonly kind: 'undo' | 'redo' | 'clear' }
  | { readonly kind: 'remove'; readonly id: number };

/** What of the effect is looked at. */
export interface EffectScope {
  /** Type of the buckets between which flows are summed up, and whose fill is shown; 0 is OSDs. */
  readonly type: number;
}

/** What the changes do, against the map as it was read. */
export interface WhatIfEffect {
  readonly total: MoveCounts;
  readonly pools: readonly PoolMoves[];
  /** Pools of the current map that cannot be mapped. */
  readonly failures: readonly PoolFailure[];
  readonly levels: readonly LevelName[];
  readonly flows: FlowSummary;
  readonly fill: FillSummary;
  readonly osds: OsdFills;
  /** What the user should know: new OSDs that no rule reaches, upmaps that went. */
  readonly notes: readonly string[];
}

/** The document, its changes, and what they do. */
export interface WhatIfAnswer {
  readonly state: DocumentState;
  readonly history: HistoryState;
  readonly type: number;
  /** Another number whenever the CRUSH map is another. */
  readonly crushKey: number;
  readonly effect: WhatIfEffect;
}

/** Flows that are named. */
const MOST_FLOWS = 12;

/** Makes ready for changes, which for large maps takes a moment, and tells how things are. */
export function whatIfNow(document: OpenDocument, scope: EffectScope): WhatIfAnswer {
  document.prepareChanges();
  return answer(document, scope);
}

/**
 * Does what the user does, and tells what comes of it.
 *
 * @throws CrushError for a change that cannot be made; nothing has changed then
 */
export function whatIfDo(document: OpenDocument, action: WhatIfAction, scope: EffectScope): WhatIfAnswer {
  const history = historyOf(document);
  switch (action.kind) {
    case 'make':
      history.make(action.change, action.gesture);
      break;
    case 'remove':
      history.remove(action.id);
      break;
    case 'undo':
      history.undo();
      break;
    case 'redo':
      history.redo();
      break;
    case 'clear':
      history.clear();
  }
  return answer(document, scope);
}

/** Makes a change from elsewhere in the page, such as an edit of the CRUSH map as text; it can be undone here. */
export function applyDocumentChange(document: OpenDocument, change: MapChange): DocumentState {
  historyOf(document).make(change);
  return documentState(document);
}

function answer(document: OpenDocument, scope: EffectScope): WhatIfAnswer {
  const { original, current } = document;
  const levels = levelNames(current.crush);
  const type = levels.some((level) => level.type === scope.type) ? scope.type : 0;
  const { total, pools, flows } = documentMoves(document);
  const history = historyOf(document);
  return {
    state: documentState(document),
    history: history.state,
    type,
    crushKey: crushKeyOf(current.crush),
    effect: {
      total,
      pools,
      failures: placedMap(document, 'current').failures,
      levels,
      flows: flowSummary(flows, type, original, current, MOST_FLOWS),
      fill: fillSummary(document, type),
      osds: osdFills(document),
      notes: [...unreached(original, current, history.changes), ...upmapNotes(document)],
    },
  };
}

const crushKeys = new WeakMap<CrushMap, number>();
let lastCrushKey = 0;

function crushKeyOf(crush: CrushMap): number {
  let key = crushKeys.get(crush);
  if (key === undefined) crushKeys.set(crush, (key = ++lastCrushKey));
  return key;
}

function upmapNotes({ original, current }: OpenDocument): string[] {
  const count = (map: typeof current): number =>
    [map.pgUpmap, map.pgUpmapItems].reduce(
      (sum, table) => sum + [...table.values()].reduce((rows, { size }) => rows + size, 0),
      0,
    );
  const gone = count(original) - count(current);
  if (gone <= 0) return [];
  return [
    `${gone} ${gone === 1 ? 'upmap goes' : 'upmaps go'} with the changes, as the monitor would take ${gone === 1 ? 'it' : 'them'} away`,
  ];
}
