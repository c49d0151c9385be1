/** `crush-wasm mds`: what Ceph's metadata balancer does with a file system. */
import { decideCluster } from '../mds/decide.ts';
import { readMdsOptions } from '../mds/options.ts';
import { misuse, oneLine, type CommandIo, type TextSink } from './io.ts';
import { readMdsFiles } from './mds-input.ts';
import { decisionJson, decisionLines } from './mds-report.ts';

/** Options of `mds decide`, as commander gives them. */
export interface MdsDecideOptions {
  readonly option?: readonly string[];
  readonly fs?: string;
  readonly beat: string;
  readonly overloadedFor?: string;
  readonly counters: string;
  readonly format: string;
}

/** Runs `crush-wasm mds decide FILES...`. */
export async function mdsDecideCommand(
  files: readonly string[],
  options: MdsDecideOptions,
  io: CommandIo,
  out: TextSink,
): Promise<void> {
  const { beat, counters, format, overloadedFor } = options;
  if (format !== 'text' && format !== 'json') throw misuse(`--format is text or json, not '${format}'`);
  if (beat !== 'even' && beat !== 'odd') throw misuse(`--beat is even or odd, not '${beat}'`);
  if (counters !== 'scaled' && counters !== 'as-is')
    throw misuse(`--counters is scaled or as-is, not '${counters}'`);
  if (overloadedFor !== undefined && !/^0*[1-9]\d{0,5}$/.test(overloadedFor)) {
    throw misuse(`--overloaded-for is a number of beats from 1 on, not '${overloadedFor}'`);
  }
  const mdsOptions = readMdsOptions(options.option ?? []);
  const { reports, fileSystem } = await readMdsFiles(files, options.fs, io);
  const decision = decideCluster(reports, fileSystem, {
    options: mdsOptions,
    beat: beat === 'even' ? 2 : 3,
    ...(overloadedFor === undefined ? {} : { overloadedFor: Number(overloadedFor) }),
    scaleToBeat: counters === 'scaled',
  });
  if (format === 'json') {
    out.add(decisionJson(decision));
    return;
  }
  for (const line of decisionLines(decision, mdsOptions)) {
    out.add(`${oneLine(line)}\n`);
    await out.relieve();
  }
}
