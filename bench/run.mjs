// `npm run bench -- [NAME ...]`: how fast this is. Prints tables and writes the same figures to bench/results/; see
// support/settings.mjs for what can be set.
import { machine } from './support/report.mjs';
import { QUICK, ROUNDS, SEED } from './support/settings.mjs';

const BENCHMARKS = {
  kernels: 'mappings a second of every map, rule and kernel',
  latency: 'one mapping through the API; from the start of a process to its first mapping',
  hash: "the lanes' hash alone",
  native: "the kernels beside the CPU time of Ceph's crushtool, a mapping each",
  tools: "crushtool and osdmaptool beside Ceph's, whole processes",
  scaling: 'one thread and two',
  memory: 'peak memory of millions of PGs',
  session: 'one change of a map, beside mapping all PGs again',
  mds: 'beats a second of the metadata simulation',
  growth: 'from 100 OSDs to 100,000, from 1,000 PGs to 10 million',
};
const DEFAULT = ['kernels', 'latency'];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => name !== 'all' && !(name in BENCHMARKS));
if (unknown.length > 0) {
  const list = Object.entries(BENCHMARKS).map(([name, what]) => `  ${name.padEnd(8)}  ${what}`);
  console.error(`there is no benchmark '${unknown.join("', '")}'; choose from\n${list.join('\n')}`);
  console.error(`  all       every one of them (without a name: ${DEFAULT.join(' and ')})`);
  process.exitCode = 2;
} else {
  const names = asked.includes('all') ? Object.keys(BENCHMARKS) : asked.length > 0 ? asked : DEFAULT;
  const { cpu, cores, system, node } = machine();
  console.log(`${cpu}, ${cores} cores, ${system}, Node ${node}; seed ${SEED}, ${ROUNDS} rounds`);
  if (QUICK) console.log('quick: the figures mean little');
  for (const name of names) await (await import(`./${name}.mjs`)).run();
}
