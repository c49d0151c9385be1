/** Plans of static pins, and what the balancer would make of the same load. */
import {
  holdCommands,
  inOrder,
  planCommandLines,
  setCommand,
} from '../../../../../src/analysis/mds-plan-commands.ts';
import { shellWord } from '../../../../../src/analysis/what-if/shell-words.ts';
import { CrushError } from '../../../../../src/errors.ts';
import { planPins, type PinPlan } from '../../../../../src/mds/plan.ts';
import { comparePlan, type PlanComparison } from '../../../../../src/mds/plan/comparison.ts';
import { reportsOf } from './desk.ts';
import { optionsOf, type MdsSettings } from './settings.ts';

/** What to plan. */
export interface MdsPlanSettings {
  /** Ranks to plan for; undefined: as many as there are. */
  readonly ranks: number | undefined;
  /** Part of its share by which a rank may be above it. */
  readonly tolerance: number;
  readonly maxPins: number;
  /** Whether static pins that are there may be changed. */
  readonly repin: boolean;
  /** Where the root of the file system is mounted. */
  readonly mount: string;
}

/** A plan with the commands that carry it out. */
export interface MdsPlan extends PinPlan {
  /** A script, with the way back as comments. */
  readonly script: string;
  /** Commands that hold the balancer meanwhile; undefined where it is off. */
  readonly hold: { readonly stop: string; readonly go: string } | undefined;
  /** One `setfattr` for each pin, by its path. */
  readonly pinCommands: Readonly<Record<string, string>>;
  /** For directories that no static pin can part: what pins them in parts. */
  readonly distributeCommands: Readonly<Record<string, string>>;
}

/** Beats of the comparison. */
const BEATS = 5;

/**
 * Plans pins, as `crush-wasm mds plan` does.
 *
 * @throws CrushError `not-found` when no rank's counters are known; `bad-argument` for numbers that cannot be
 */
export function mdsPlan(settings: MdsSettings, wanted: MdsPlanSettings): MdsPlan {
  const { fileSystem } = reportsOf(settings.fileSystem);
  const mount = mountOf(wanted.mount);
  const plan = makePlan(settings, wanted);
  return {
    ...plan,
    script: [...planCommandLines({ plan, mount, fileSystem })].join('\n'),
    hold: plan.pins.length === 0 ? undefined : holdCommands(fileSystem),
    pinCommands: Object.fromEntries(
      inOrder(plan).map(({ path, rank }) => [path, setCommand(mount, path, rank)]),
    ),
    distributeCommands: Object.fromEntries(
      plan.indivisible.map(({ path }) => [
        path,
        `setfattr -n ceph.dir.pin.distributed -v 1 ${shellWord(`${mount}${path}`)}`,
      ]),
    ),
  };
}

/**
 * Simulates the next beats, with the balancer alone, with the plan, and with both.
 *
 * @returns undefined where there are no heartbeats to begin with
 */
export function mdsComparison(settings: MdsSettings, wanted: MdsPlanSettings): PlanComparison | undefined {
  const { reports, fileSystem } = reportsOf(settings.fileSystem);
  const plan = makePlan(settings, wanted);
  try {
    return comparePlan(reports, fileSystem, plan, {
      options: optionsOf(settings),
      beats: BEATS,
      scaleToBeat: settings.scaleToBeat,
    });
  } catch (error) {
    if (error instanceof CrushError && error.code === 'not-found') return undefined;
    throw error;
  }
}

function makePlan(settings: MdsSettings, { ranks, tolerance, maxPins, repin }: MdsPlanSettings): PinPlan {
  const { reports, fileSystem } = reportsOf(settings.fileSystem);
  return planPins(reports, fileSystem, {
    options: optionsOf(settings),
    tolerance,
    maxPins,
    repin,
    scaleToBeat: settings.scaleToBeat,
    ...(ranks === undefined ? {} : { ranks }),
  });
}

/** A mount point without a slash at its end. */
function mountOf(text: string): string {
  if (!text.startsWith('/') || /[\x00-\x1f\x7f-\x9f]/.test(text)) {
    throw new CrushError(
      'bad-argument',
      `the mount point is the absolute path of the file system's root, not '${text}'`,
    );
  }
  return text.replace(/\/+$/, '');
}
