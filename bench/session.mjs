// `npm run bench -- session`: one change of the map through a Session, beside mapping all PGs again on the same kernel.
import { CrushMapEditor, CrushMapper, Session } from '../dist/index.js';
import { benchMaps } from './support/bench-maps.mjs';
import { osdMapOver } from './support/osd-maps.mjs';
import { digits, printTable, times, writeResult } from './support/report.mjs';
import { alternate, cpuTime, summary } from './support/rounds.mjs';
import { QUICK, ROUNDS } from './support/settings.mjs';

const MAPS = ['s', 'l'];
const PG_NUM = QUICK ? 1 << 12 : 1 << 20;
const POOL = 1;

/** Prints and writes the benchmark. */
export async function run() {
  const rows = MAPS.flatMap(measure);
  printTable(
    `One change of a map with ${PG_NUM} PGs of 3 OSDs, CPU milliseconds`,
    [
      ['on', ({ name }) => name],
      ['change', ({ change }) => change],
      ['PGs mapped again', ({ remapped }) => digits(remapped)],
      ['all PGs', ({ full }) => digits(full.median)],
      ['session', ({ update }) => digits(update.median)],
      ['times less', ({ full, update }) => times(full.median / update.median)],
    ],
    rows,
  );
  writeResult('session', { pgs: PG_NUM, rows });
}

function measure(id) {
  const [{ map: crush, name }] = benchMaps([id]);
  const map = osdMapOver(crush, PG_NUM);
  const mapper = new CrushMapper(crush);
  const request = {
    rule: 0,
    size: 3,
    first: 0,
    count: PG_NUM,
    seed: { mode: 'pool-hashed', pool: POOL, pgpNum: PG_NUM },
    out: {
      items: new Int32Array(3 * PG_NUM),
      lengths: new Int32Array(PG_NUM),
      seeds: new Int32Array(PG_NUM),
    },
  };
  const session = new Session(map);
  const remapped = {};
  let round = 0;
  // Each change is made to the map as it was at first, and taken back.
  const changed = (change, next) => () => {
    const to = next((round++ * 37) % 100);
    const time = cpuTime(() => {
      remapped[change] = session.update(to).pools[0].remapped;
    });
    session.update(map);
    return time;
  };
  const weigh = (factor) => (osd) => {
    const editor = CrushMapEditor.from(map.crush);
    const weight = weightOf(map.crush, osd) / 0x10000;
    editor.setWeight(`osd.${osd}`, weight * factor);
    return { ...map, crush: editor.map };
  };
  const changes = {
    'an OSD out': (osd) => ({ ...map, osdWeight: map.osdWeight.with(osd, 0) }),
    'an OSD reweighted to 0.9': (osd) => ({ ...map, osdWeight: map.osdWeight.with(osd, 0xe666) }),
    'an OSD down': (osd) => ({ ...map, osdState: map.osdState.with(osd, 1) }),
    'CRUSH weight of an OSD - 5 %': weigh(0.95),
    'CRUSH weight of an OSD + 5 %': weigh(1.05),
  };
  const measured = alternate(
    {
      full: () => cpuTime(() => mapper.mapRange(request)),
      ...Object.fromEntries(Object.entries(changes).map(([change, next]) => [change, changed(change, next)])),
    },
    ROUNDS,
  );
  const full = summary(measured.full);
  return Object.keys(changes).map((change) => ({
    map: id,
    name,
    change,
    remapped: remapped[change],
    full,
    update: summary(measured[change]),
  }));
}

function weightOf({ buckets }, osd) {
  const host = buckets.find((bucket) => bucket?.items.includes(osd));
  return host.itemWeights[host.items.indexOf(osd)];
}
