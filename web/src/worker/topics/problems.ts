/** What is wrong with the current map. */
import { validateOsdMap } from '../../../../src/analysis/health.ts';
import { type CrushProblem, validate } from '../../../../src/crush/validate.ts';
import type { OpenDocument } from '../open-document.ts';

/** Problems, errors first. The rules of a CRUSH map alone are checked for usual sizes: its pools are made up. */
export function problems(document: OpenDocument): CrushProblem[] {
  return document.isMadeUp ? validate(document.current.crush) : validateOsdMap(document.current);
}
