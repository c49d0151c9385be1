/** The JSON of `crush-wasm mds plan`, read again so that a later plan keeps to an earlier one. */
import * as v from 'valibot';
import { MAX_MDS } from '../mds/rank-mask.ts';
import { checkShape, parseJsonObject } from './json-input.ts';

const planShape = v.object({
  pins: v.array(
    v.object({
      path: v.string(),
      rank: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(MAX_MDS - 1)),
    }),
  ),
});

/**
 * The pins of a plan.
 *
 * @throws CrushError `malformed` for what is no JSON of a plan, with the path of what does not fit
 */
export function readPlanPins(text: string): { path: string; rank: number }[] {
  return checkShape(planShape, parseJsonObject(text), 'plan').pins;
}
