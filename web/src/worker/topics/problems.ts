/** What is wrong with the current map. */
import { validateOsdMap } from '../../../../src/analysis/health.ts';
import { MapIndex } from '../../../../src/crush/validate/index-of-map.ts';
import { type CrushProblem, validate } from '../../../../src/crush/validate.ts';
import type { OpenDocument } from '../open-document.ts';

/** A problem, and what to look at for it. */
export interface PageProblem extends CrushProblem {
  /** Id of the item that the hierarchy shows for it: of a shadow bucket, the bucket it is the shadow of. */
  readonly item: number | undefined;
}

/** Problems, errors first. The rules of a CRUSH map alone are checked for usual sizes: its pools are made up. */
export function problems(document: OpenDocument): PageProblem[] {
  const { current } = document;
  const found = document.isMadeUp ? validate(current.crush) : validateOsdMap(current);
  const index = new MapIndex(current.crush, undefined);
  const shown = (id: number | undefined): number | undefined =>
    id === undefined ? id : index.originalOf(id);
  return found.map((problem) => ({
    ...problem,
    item: shown(problem.place.item) ?? shown(problem.place.bucket),
  }));
}
