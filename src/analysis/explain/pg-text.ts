/** How a PG comes to its OSDs, as text for people. */
import type { PgTrace } from './trace.ts';
import {
  foldedText,
  NO_OVERLAY,
  objectHashText,
  objectText,
  overlayLines,
  pgTitle,
  primaryText,
  ruleText,
  seedText,
} from './pg-words.ts';
import { setText } from './words.ts';
import type { ExplainText } from './rule-text.ts';

/** Writes the explanation of a PG. */
export function writePg(text: ExplainText, trace: PgTrace): void {
  const { object, crush, overlay } = trace;
  text.add(0, pgTitle(trace));
  if (object !== undefined) {
    text.add(1, objectText(object));
    text.add(1, `hash   ${objectHashText(object, trace)}`);
  }
  const folded = foldedText(trace);
  if (folded !== undefined) text.add(1, `note   ${folded}`);
  text.add(1, `seed   ${seedText(trace)}`);
  text.add(1, `rule   ${ruleText(trace)}`);
  text.add(0, '');
  text.rule(crush);
  text.add(0, '');
  text.add(0, 'the OSDMap on top of it');
  for (const step of overlay) for (const line of overlayLines(step)) text.add(1, line);
  if (overlay.length === 0) text.add(1, NO_OVERLAY);
  text.add(0, '');
  text.add(0, `raw     ${setText(trace.raw)}, ${primaryText(trace.rawPrimary)}`);
  text.add(0, `up      ${setText(trace.up)}, ${primaryText(trace.upPrimary)}`);
  text.add(0, `acting  ${setText(trace.acting)}, ${primaryText(trace.actingPrimary)}`);
}
