// `npm run bench -- native`: every kernel beside Ceph's own mapper.c, as crushtool runs it, in CPU time a mapping.
import { CrushMapper } from '../dist/index.js';
import { KERNELS } from './kernels.mjs';
import { benchMaps, benchRules, mapFileBytes } from './support/bench-maps.mjs';
import { crushtoolPerMapping, inputsForCrushtool } from './support/crushtool.mjs';
import { cephRelease, inTemporaryFolder, whyNot, writeInto } from './support/processes.mjs';
import { digits, printTable, skip, times, writeResult } from './support/report.mjs';
import { alternate, cpuTime, geometricMean, median } from './support/rounds.mjs';
import { FIRST_INPUT, QUICK, ROUNDS } from './support/settings.mjs';

/** CPU milliseconds that crushtool is to take a round. */
const CRUSHTOOL_MS = QUICK ? 30 : 600;

/** Prints and writes the benchmark. */
export async function run() {
  const missing = whyNot('crushtool');
  if (missing !== undefined) return void skip('native', missing);
  const rows = inTemporaryFolder((folder) =>
    // The tools at hand know no MSR rules, and take seconds to read the largest map.
    benchMaps()
      .filter(({ id }) => !id.startsWith('msr') && id !== 'huge')
      .flatMap((entry) => {
        const file = writeInto(folder, `${entry.id}.crushmap`, mapFileBytes(entry));
        return benchRules(entry).map((rule) => measureRule(file, entry, rule));
      }),
  );
  const means = KERNELS.map((kernel) => ({
    kernel,
    mean: geometricMean(rows.map(({ overNative }) => overNative[kernel])),
    least: Math.min(...rows.map(({ overNative }) => overNative[kernel])),
  }));
  printTable(
    `Over Ceph's mapper.c (crushtool of release ${cephRelease() ?? 'unknown'}), CPU time a mapping`,
    [
      ['map', ({ name }) => name],
      ['rule', ({ label }) => label],
      ['crushtool, maps/s', ({ crushtoolPerSecond }) => digits(crushtoolPerSecond)],
      ...KERNELS.map((kernel) => [kernel.replace('-', ' '), ({ overNative }) => times(overNative[kernel])]),
    ],
    rows,
  );
  for (const { kernel, mean, least } of means) {
    console.log(`  ${kernel.replace('-', ' ')}: geometric mean ${times(mean)}, least ${times(least)}`);
  }
  writeResult('native', { release: cephRelease(), rows, geometricMeans: means });
}

function measureRule(file, { id, name, map, chooseArgs }, rule) {
  const inputs = inputsForCrushtool(file, rule, CRUSHTOOL_MS);
  const request = { ...rule, first: FIRST_INPUT, count: inputs, chooseArgs };
  const contestants = { crushtool: () => crushtoolPerMapping(file, rule, inputs) };
  for (const kernel of KERNELS) {
    const mapper = new CrushMapper(map, { kernel });
    const out = mapper.mapRange(request);
    contestants[kernel] = () => (cpuTime(() => mapper.mapRange({ ...request, out })) * 1000) / inputs;
  }
  const microseconds = alternate(contestants, ROUNDS);
  const usual = (contestant) => median(microseconds[contestant]);
  return {
    map: id,
    name,
    rule: rule.rule,
    size: rule.size,
    label: rule.label,
    inputs,
    crushtoolPerSecond: 1e6 / usual('crushtool'),
    overNative: Object.fromEntries(KERNELS.map((kernel) => [kernel, usual('crushtool') / usual(kernel)])),
  };
}
