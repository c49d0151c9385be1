/** The CPU time that Ceph's crushtool takes for a mapping. */
import { runTimed } from './processes.mjs';
import { FIRST_INPUT } from './settings.mjs';

const PROBE = 1000;

/** The command that maps `count` inputs and counts them by OSD, which is the least that crushtool can print. */
export function utilizationCommand(file, { rule, size }, count) {
  const range = ['--min-x', FIRST_INPUT, '--max-x', FIRST_INPUT + count - 1];
  const what = ['--rule', rule, '--num-rep', size, ...range].map(String);
  return ['-i', file, '--test', '--show-utilization', ...what];
}

/** So many inputs that crushtool is busy for about `milliseconds`. */
export function inputsForCrushtool(file, rule, milliseconds) {
  let count = PROBE;
  for (;;) {
    const { user, system } = runTimed(['crushtool', ...utilizationCommand(file, rule, count)]);
    // The first 20 ms or so are the start of the process.
    if (user + system > Math.min(150, milliseconds)) {
      return Math.max(PROBE, Math.round((count * milliseconds) / (user + system)));
    }
    count *= 4;
  }
}

/**
 * CPU microseconds of one mapping: of a run of `count` inputs, less a run of one, so that starting and reading the map
 * are not in it.
 */
export function crushtoolPerMapping(file, rule, count) {
  const [many, one] = [count, 1].map((inputs) => {
    const { user, system } = runTimed(['crushtool', ...utilizationCommand(file, rule, inputs)]);
    return user + system;
  });
  return ((many - one) * 1000) / (count - 1);
}
