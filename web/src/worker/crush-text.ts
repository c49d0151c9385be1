/** The CRUSH map of a document as text, and text as its CRUSH map. */
import type { CrushMap } from '../../../src/crush/model.ts';
import { readCrushText } from '../../../src/formats/crushmap-text.ts';

/**
 * Reads an edited text. Its form since Ceph 17 has no ruleset, min_size and max_size; rules that the map had before
 * keep theirs.
 *
 * @throws CrushError `malformed` with line and column
 */
export function readEditedText(text: string, former: CrushMap): CrushMap {
  const crush = readCrushText(text);
  const rules = crush.rules.map((rule, id) => {
    const old = former.rules[id];
    if (rule === undefined || old === undefined) return rule;
    const { ruleset, minSize, maxSize } = old;
    return { ...rule, ruleset, minSize, maxSize };
  });
  return { ...crush, rules };
}
