/** `crush-wasm info`: what a map file is and what is in it. */
import { validateOsdMap } from '../analysis/health.ts';
import { validate, type ProblemSeverity } from '../crush/validate.ts';
import { CrushError } from '../errors.ts';
import type { MapFile } from '../formats/detect.ts';
import {
  mapFacts,
  poolRuleTitle,
  type CrcState,
  type CrushFacts,
  type MapFacts,
  type OsdMapFacts,
} from '../analysis/map-facts.ts';
import { misuse, type CommandIo, type TextSink } from './io.ts';
import { fileTitle, loadMapFile, type LoadOptions } from './load.ts';
import { noun } from '../analysis/noun.ts';
import { snakeCaseJson } from '../analysis/snake-case.ts';
import { listLines, tableLines, titledLines } from './table.ts';
import { problemSummary } from './test-report.ts';

/** Options of the command, as commander gives them. */
export interface InfoOptions {
  readonly format: string;
  readonly ignoreCrc?: boolean;
}

/** Runs `crush-wasm info FILE [CRUSH_FILE]`. */
export async function infoCommand(
  file: string,
  crushFile: string | undefined,
  options: InfoOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  if (options.format !== 'text' && options.format !== 'json') {
    throw misuse(`--format is text or json, not '${options.format}'`);
  }
  const onNote = (text: string): void => err.add(`crush-wasm: note: ${text}\n`);
  const { loaded, crc } = await loadWithCrc(file, io, { crushFile, onNote }, options.ignoreCrc === true);
  const facts = mapFacts(loaded, crc);
  const problems = loaded.kind === 'osdmap' ? validateOsdMap(loaded.map) : validate(loaded.map);
  if (options.format === 'json') {
    const count = (severity: ProblemSeverity): number =>
      problems.filter((problem) => problem.severity === severity).length;
    const counts = { errors: count('error'), warnings: count('warning'), notes: count('note') };
    out.add(`${JSON.stringify(snakeCaseJson({ file, ...facts, problems: counts }), null, 2)}\n`);
    return;
  }
  const title = fileTitle(file, crushFile);
  out.add(`${describeFacts(title, facts, io.stdout.columns).join('\n')}\n`);
  const more = problems.length === 0 ? '' : " ('crush-wasm test' lists them)";
  out.add(`problems  ${problemSummary(problems)}${more}\n`);
}

/** Reads a file and learns whether its checksum fits; a wrong one is an error unless it is to be ignored. */
async function loadWithCrc(
  file: string,
  io: CommandIo,
  options: LoadOptions,
  ignoreCrc: boolean,
): Promise<{ loaded: MapFile; crc: CrcState }> {
  // Standard input can be read once only, so it is kept for the second reading.
  let kept: Promise<Uint8Array> | undefined;
  const keeping: CommandIo = { ...io, readStdin: () => (kept ??= io.readStdin()) };
  try {
    const loaded = await loadMapFile(file, keeping, options);
    const hasCrc = loaded.kind === 'osdmap' && loaded.map.details.crc !== undefined;
    return { loaded, crc: hasCrc ? 'ok' : 'none' };
  } catch (error) {
    if (!ignoreCrc || !(error instanceof CrushError) || error.code !== 'bad-crc') throw error;
    return { loaded: await loadMapFile(file, keeping, { ...options, ignoreCrc: true }), crc: 'wrong' };
  }
}

function describeFacts(title: string, facts: MapFacts, width: number): string[] {
  const { osdmap, crush, features } = facts;
  return [
    `${title}: ${facts.kind === 'osdmap' ? 'OSDMap' : 'CRUSH map'}, ${facts.encoding}`,
    ...(osdmap === undefined ? [] : describeOsdMap(osdmap, width)),
    ...describeCrush(crush, width),
    '',
    ...titledLines('features  ', features.length === 0 ? ['none'] : features),
  ];
}

const CRC_WORDS: Readonly<Record<CrcState, string>> = {
  ok: 'fits',
  wrong: 'DOES NOT FIT the content',
  none: 'the encoding has none',
};

function describeOsdMap(map: OsdMapFacts, width: number): string[] {
  const { osds } = map;
  const rows = map.pools.map((pool) => [
    pool.id,
    pool.name,
    pool.type,
    pool.size,
    pool.minSize,
    pool.pgNum,
    pool.pgpNum,
    poolRuleTitle(pool),
    pool.flags.join(','),
  ]);
  return [
    '',
    `epoch     ${map.epoch}`,
    `fsid      ${map.fsid}`,
    `created   ${map.created}`,
    `modified  ${map.modified}`,
    `checksum  ${CRC_WORDS[map.crc]}`,
    `release   ${map.release} OSDs, clients from ${map.minCompatClient} on`,
    ...listLines('flags     ', map.flags.join(', ') || 'none', width),
    `OSDs      ${osds.exist} (ids below ${osds.max}): ${osds.up} up, ${osds.in} in, ` +
      `${osds.reweighted} reweighted, ${osds.withPrimaryAffinity} with primary affinity`,
    '',
    ...(rows.length === 0
      ? ['no pools']
      : tableLines(['POOL', 'NAME', 'TYPE', 'SIZE', 'MIN', 'PGS', 'PGPS', 'RULE', 'FLAGS'], rows)),
  ];
}

function describeCrush(crush: CrushFacts, width: number): string[] {
  const counts = (tally: ReadonlyMap<string, number>): string =>
    [...tally].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
  const shadow =
    crush.shadowBuckets === 0
      ? ''
      : `, and ${crush.shadowBuckets} shadow ${noun(crush.shadowBuckets, 'bucket')} of classes`;
  const tunables = Object.entries(snakeCaseJson(crush.tunables) as Readonly<Record<string, number>>).map(
    ([name, value]) => `${name.padEnd(28)}${value}`,
  );
  const rules = crush.rules.flatMap(({ id, name, type, steps }) => [
    '',
    `rule ${id} '${name}' (${type})`,
    ...steps.map((step) => `  ${step}`),
  ]);
  return [
    '',
    ...listLines('devices   ', `${crush.devices} (classes: ${counts(crush.classes)})`, width),
    ...listLines(
      'buckets   ',
      `${crush.buckets} (${counts(crush.byType)}; ${counts(crush.byAlgorithm)})${shadow}`,
      width,
    ),
    ...titledLines('tunables  ', [
      crush.profile === undefined ? 'of no profile' : `profile ${crush.profile}`,
      ...tunables,
    ]),
    ...rules,
  ];
}
