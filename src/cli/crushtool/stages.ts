/** What the stages of the crushtool drop-in are given, and what they give. */
import type { CrushDraft } from '../../crush/draft.ts';
import type { CrushMap } from '../../crush/model.ts';
import type { TextSink } from '../io.ts';
import type { CrushtoolOptions } from './options.ts';

/**
 * Compiles text (`-c`), saying on `err` what the original says, the file being `options.sourceFile`.
 *
 * @throws CommandExit with the original's status where the text is refused
 */
export type CompileStage = (text: Uint8Array, options: CrushtoolOptions, err: TextSink) => CrushMap;

/**
 * The text of a map (`-d`), saying on `err` what the original says.
 *
 * @throws CommandExit where the original fails
 */
export type DecompileStage = (map: CrushMap, options: CrushtoolOptions, err: TextSink) => string;

/**
 * Builds a map of `options.numOsds` devices and `options.layers` (`--build`).
 *
 * @throws CommandExit with the original's words and status where it fails
 */
export type BuildStage = (options: CrushtoolOptions, err: TextSink) => CrushMap;

/**
 * Does to a draft what the options of `EditOptions` ask for, tunables excepted, in the original's order.
 *
 * @returns whether anything was modified
 * @throws CommandExit with the original's words and status where the original ends
 */
export type EditStage = (
  draft: CrushDraft,
  options: CrushtoolOptions,
  out: TextSink,
  err: TextSink,
) => boolean;
