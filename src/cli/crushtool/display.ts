/** What the crushtool drop-in shows of a map, in the original's order. */
import type { CrushMap } from '../../crush/model.ts';
import { RELEASE } from '../../formats/releases.ts';
import { createFormatter } from '../formatter/formatter.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { naming } from '../load.ts';
import { PACIFIC } from '../release-option.ts';
import { nameProblem, overlappedRules } from './check.ts';
import { compareMaps } from './compare.ts';
import { decompileStage } from './compile.ts';
import { dumpCrushMap, usesMsr } from './dump.ts';
import { Lrand48 } from './lrand48.ts';
import type { CrushtoolOptions } from './options.ts';
import { readMapOrExit } from './read-map.ts';
import { testCrushMap } from './tester.ts';
import { fullLocation, leavesOf, treeLines } from './tree.ts';

/**
 * Shows what the options ask for.
 *
 * @throws CommandExit where the original ends, which it does at the first check that fails
 */
export async function displayMap(
  map: CrushMap,
  options: CrushtoolOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  await naming(() => showMap(map, options, io, out, err), options.inputFile);
}

async function showMap(
  map: CrushMap,
  options: CrushtoolOptions,
  io: CommandIo,
  out: TextSink,
  err: TextSink,
): Promise<void> {
  if (options.showLocation >= 0) {
    for (const [type, name] of fullLocation(map, options.showLocation)) out.add(`${type}\t${name}\n`);
  }
  if (options.tree) await addLines(treeLines(map), out);
  if (options.bucketTree) await showLeaves(map, options.bucketName, out, err);
  if (options.dump) await dump(map, options, out);
  if (options.decompile) await decompileStage(map, options, out, err);
  if (options.check) await checkNames(map, options, out);
  // One source of random numbers for both, as in the original.
  const random = new Lrand48();
  if (options.test) await testCrushMap(map, options, random, io, out, err);
  if (options.compareFile !== '') {
    const other = await readMapOrExit(options.compareFile, io, err);
    if (options.release > PACIFIC && (options.minRep < 0 || options.maxRep < 0)) {
      err.add('crushtool: nothing is compared without --num-rep, or both --min-rep and --max-rep\n');
    }
    await naming(() => compareMaps(map, other, options, random, io, out), options.compareFile);
  }
}

async function showLeaves(map: CrushMap, name: string, out: TextSink, err: TextSink): Promise<void> {
  if (name === '') err.add(': error bucket_name is empty\n');
  else
    await addLines(
      leavesOf(map, name).map((id) => `osd.${id}`),
      out,
    );
}

async function dump(map: CrushMap, options: CrushtoolOptions, out: TextSink): Promise<void> {
  const formatter = createFormatter(options.dumpFormat, 'json-pretty');
  formatter.openObject('crush_map');
  // Ceph's tests of late 2022 have to pass, which know nothing of MSR: it is left out where nothing uses it.
  const isFull = options.isReleaseGiven || usesMsr(map);
  dumpCrushMap(map, isFull ? options.release : Math.min(options.release, RELEASE.squid - 1), formatter);
  formatter.close();
  out.add(`${formatter.text()}\n`);
  await out.relieve();
}

async function checkNames(map: CrushMap, options: CrushtoolOptions, out: TextSink): Promise<void> {
  if (options.release <= PACIFIC) await addLines(overlappedRules(map), out);
  if (options.checkMaxId < 0) return;
  const problem = nameProblem(map, options.checkMaxId);
  if (problem === undefined) return;
  out.add(`${problem}\n`);
  throw new CommandExit(1);
}

async function addLines(lines: Iterable<string>, out: TextSink): Promise<void> {
  for (const line of lines) {
    out.add(`${line}\n`);
    await out.relieve();
  }
}
