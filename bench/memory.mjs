// `npm run bench -- memory`: peak resident memory of processes that map millions of PGs of three replicas.
import { join } from 'node:path';
import { benchMaps, mapFileBytes } from './support/bench-maps.mjs';
import { EXAMPLE_OSDMAP } from './support/osd-maps.mjs';
import { crushWasm, inTemporaryFolder, peakMemory, writeInto } from './support/processes.mjs';
import { digits, printTable, writeResult } from './support/report.mjs';
import { median } from './support/rounds.mjs';
import { QUICK, ROOT } from './support/settings.mjs';

const MILLIONS = QUICK ? [0.01, 0.1] : [1, 10];
const RUNS = QUICK ? 1 : 3;

/** Prints and writes the benchmark. */
export async function run() {
  const rows = inTemporaryFolder((folder) => {
    const [entry] = benchMaps(['l']);
    const file = writeInto(folder, 'crushmap', mapFileBytes(entry));
    const child = (how, pgs) => [
      process.execPath,
      join(ROOT, 'bench/columns.child.mjs'),
      how,
      file,
      String(pgs),
    ];
    const rule = ['--rule', '0', '--num-rep', '3', '--format', 'csv'];
    const pool = [EXAMPLE_OSDMAP, '--pool', '1', '--format', 'ndjson'];
    const ways = {
      'mapPool, all PGs in columns': (pgs) => child('columns', pgs),
      'mapPool, range after range': (pgs) => child('ranges', pgs),
      'crush-wasm map --format csv': (pgs) => crushWasm('map', file, ...rule, '--max-x', String(pgs - 1)),
      ...Object.fromEntries(
        ['1', '2'].map((threads) => [
          `crush-wasm map --format ndjson --threads ${threads} (8 OSDs)`,
          (pgs) => crushWasm('map', ...pool, '--pg-num', String(pgs), '--threads', threads),
        ]),
      ),
      'osdmaptool --test-map-pgs (8 OSDs)': (pgs) =>
        crushWasm('osdmaptool', EXAMPLE_OSDMAP, '--test-map-pgs', '--pool', '1', '--pg_num', String(pgs)),
    };
    return Object.entries(ways).map(([way, command]) => {
      const peaks = MILLIONS.map((millions) =>
        median(Array.from({ length: RUNS }, () => peakMemory(command(Math.round(millions * 1e6))))),
      );
      const perMillion = (peaks.at(-1) - peaks[0]) / (MILLIONS.at(-1) - MILLIONS[0]);
      return { way, name: entry.name, millions: MILLIONS, peakMiB: peaks, perMillionMiB: perMillion };
    });
  });
  printTable(
    'Peak resident memory, MiB',
    [
      ['way', ({ way }) => way],
      ...MILLIONS.map((millions, i) => [`${millions} million PGs`, ({ peakMiB }) => digits(peakMiB[i])]),
      ['a million more', ({ perMillionMiB }) => digits(Math.max(0, perMillionMiB))],
    ],
    rows,
  );
  writeResult('memory', { unit: 'MiB', rows });
}
