/** Everything that the page may ask the worker. Each line is a function of the open document, see `topics/`. */
import { guarded, onDocument } from './shelf.ts';
import { lendMaps, takeMaps } from './side-desk.ts';
import { compareFile, compareFlows, compareRows, compareRun } from './topics/compare.ts';
import { compareRead } from './topics/compare/sides.ts';
import { distribution } from './topics/distribution.ts';
import { explain, explainDraw, explainText } from './topics/explain.ts';
import { hierarchyLoads } from './topics/hierarchy-loads.ts';
import { hierarchy } from './topics/hierarchy.ts';
import {
  mdsAdd,
  mdsClear,
  mdsComparison,
  mdsDecision,
  mdsDirectory,
  mdsExample,
  mdsGiven,
  mdsPlan,
  mdsRemove,
  mdsSetRank,
  mdsTree,
} from './topics/mds.ts';
import { closeDocument, openExample, openFiles } from './topics/open.ts';
import { locateObject, pgCsv, pgDetail, pgList, pgPosition, pgRows } from './topics/pgs.ts';
import { pools } from './topics/pools.ts';
import { problems } from './topics/problems.ts';
import { documentState } from './topics/state.ts';
import { summary } from './topics/summary.ts';
import { whatIfChoices, whatIfItem } from './topics/what-if-choices.ts';
import { savedMap, whatIfCommands, whatIfComparison } from './topics/what-if-output.ts';
import { whatIfDo, whatIfNow } from './topics/what-if.ts';
import { textApply, textBinary, textCheck, textMoves, textStart } from './topics/text.ts';

/** What the page calls through Comlink; all calls are answered in order, by promises. */
export const pageApi = {
  openFiles: guarded(openFiles),
  openExample: guarded(openExample),
  closeDocument: guarded(closeDocument),
  documentState: onDocument(documentState),
  summary: onDocument(summary),
  problems: onDocument(problems),
  whatIfDo: onDocument(whatIfDo),
  whatIfNow: onDocument(whatIfNow),
  whatIfItem: onDocument(whatIfItem),
  whatIfChoices: onDocument(whatIfChoices),
  whatIfComparison: onDocument(whatIfComparison),
  whatIfCommands: onDocument(whatIfCommands),
  savedMap: onDocument(savedMap),
  hierarchy: onDocument(hierarchy),
  hierarchyLoads: onDocument(hierarchyLoads),
  pools: onDocument(pools),
  distribution: onDocument(distribution),
  pgList: onDocument(pgList),
  pgRows: onDocument(pgRows),
  pgPosition: onDocument(pgPosition),
  pgCsv: onDocument(pgCsv),
  pgDetail: onDocument(pgDetail),
  locateObject: onDocument(locateObject),
  explain: onDocument(explain),
  explainDraw: onDocument(explainDraw),
  explainText: onDocument(explainText),
  lendMaps: onDocument(lendMaps),
  takeMaps: guarded(takeMaps),
  compareRead: guarded(compareRead),
  compareRun: guarded(compareRun),
  compareRows: guarded(compareRows),
  compareFlows: guarded(compareFlows),
  compareFile: guarded(compareFile),
  textStart: guarded(textStart),
  textCheck: guarded(textCheck),
  textMoves: guarded(textMoves),
  textBinary: guarded(textBinary),
  textApply: onDocument(textApply),
  mdsAdd: guarded(mdsAdd),
  mdsExample: guarded(mdsExample),
  mdsSetRank: guarded(mdsSetRank),
  mdsRemove: guarded(mdsRemove),
  mdsClear: guarded(mdsClear),
  mdsGiven: guarded(mdsGiven),
  mdsTree: guarded(mdsTree),
  mdsDirectory: guarded(mdsDirectory),
  mdsDecision: guarded(mdsDecision),
  mdsPlan: guarded(mdsPlan),
  mdsComparison: guarded(mdsComparison),
};

/** The worker as the page sees it. */
export type PageApi = typeof pageApi;
