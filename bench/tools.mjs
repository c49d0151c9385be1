// `npm run bench -- tools`: Ceph's crushtool and osdmaptool, and the drop-ins doing the same: whole processes from start
// to end, user CPU time, one thread; what they print is compared byte by byte.
import { benchMaps, benchRules, mapFileBytes } from './support/bench-maps.mjs';
import { inputsForCrushtool, utilizationCommand } from './support/crushtool.mjs';
import {
  cephRelease,
  crushWasm,
  hasThreads,
  inTemporaryFolder,
  makeOsdMap,
  runTimed,
  whyNot,
  writeInto,
} from './support/processes.mjs';
import { digits, printTable, skip, times, writeResult } from './support/report.mjs';
import { alternate, summary } from './support/rounds.mjs';
import { QUICK, ROUNDS } from './support/settings.mjs';

const CRUSHTOOL_MAPS = ['s', 'm', 'l', 'flat'];
/** CPU milliseconds that crushtool is to take. */
const CRUSHTOOL_MS = QUICK ? 50 : 2000;
const PGS = QUICK ? 10_000 : 1_000_000;

/** Prints and writes the benchmark. */
export async function run() {
  const makeRows = { crushtool: crushtoolRows, osdmaptool: osdmaptoolRows };
  const missing = Object.keys(makeRows).filter((tool) => whyNot(tool) !== undefined);
  const skipped = missing.map((tool) => skip(`tools, ${tool}`, whyNot(tool)));
  const rows = inTemporaryFolder((folder) =>
    Object.entries(makeRows).flatMap(([tool, make]) => (missing.includes(tool) ? [] : make(folder))),
  );
  if (rows.length === 0) return;
  printTable(
    'Whole processes, user CPU seconds, median',
    [
      ['command', ({ command }) => command],
      ['on', ({ name }) => name],
      ["Ceph's", ({ native }) => digits(native.user.median / 1000)],
      ['ours', ({ ours }) => digits(ours.user.median / 1000)],
      ['times less', ({ ratio }) => times(ratio)],
      ['wall', ({ native, ours }) => times(native.wall.median / ours.wall.median)],
      ['output', ({ sameBytes }) => (sameBytes ? 'same bytes' : 'DIFFERS')],
    ],
    rows,
  );
  writeResult('tools', { unit: 'milliseconds', release: cephRelease(), rows, skipped });
}

function crushtoolRows(folder) {
  return benchMaps(CRUSHTOOL_MAPS).flatMap((entry) => {
    const file = writeInto(folder, `${entry.id}.crushmap`, mapFileBytes(entry));
    return benchRules(entry).map((rule) => {
      const inputs = inputsForCrushtool(file, rule, CRUSHTOOL_MS);
      const command = `crushtool --show-utilization, ${digits(inputs)} x, ${rule.label}`;
      return compare('crushtool', utilizationCommand(file, rule, inputs), { command, name: entry.name });
    });
  });
}

function osdmaptoolRows(folder) {
  const [entry] = benchMaps(['l']);
  const crushFile = writeInto(folder, 'l.crushmap', mapFileBytes(entry));
  const file = makeOsdMap(folder, entry.map.maxDevices, crushFile);
  const args = [file, '--mark-up-in', '--test-map-pgs', '--pool', '1', '--pg_num', String(PGS)];
  const command = `osdmaptool --test-map-pgs, ${digits(PGS)} PGs`;
  return [compare('osdmaptool', args, { command, name: entry.name })];
}

/** Runs a tool and its drop-in in turn. */
function compare(tool, args, row) {
  const release = cephRelease();
  const flags = [
    ...(release === undefined ? [] : ['--as-release', release]),
    ...(hasThreads() ? ['--threads', '1'] : []),
  ];
  const runs = alternate(
    {
      native: () => runTimed([tool, ...args]),
      ours: () => runTimed(crushWasm(tool, ...flags, ...args)),
    },
    ROUNDS,
  );
  const figures = (who) =>
    Object.fromEntries(
      ['user', 'system', 'wall'].map((clock) => [clock, summary(runs[who].map((run) => run[clock]))]),
    );
  const native = figures('native');
  const ours = figures('ours');
  const sameBytes = runs.native.every(
    ({ stdout, stderr }, round) =>
      stdout.equals(runs.ours[round].stdout) && stderr.equals(runs.ours[round].stderr),
  );
  return { ...row, native, ours, ratio: native.user.median / ours.user.median, sameBytes };
}
