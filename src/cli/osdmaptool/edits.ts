/** The options of osdmaptool that change the map, in the original's order. */
import { CrushDraft } from '../../crush/draft.ts';
import { fixedWeight } from '../../crush/edit/fixed-weight.ts';
import { adjustItemWeight } from '../../crush/edit/weights.ts';
import { CrushError } from '../../errors.ts';
import { readCrushBinary } from '../../formats/crushmap-binary.ts';
import { cleanTemps } from '../../osdmap/clean-temps.ts';
import { clearTemp, markAllUpIn, markIn, markOut, markUp } from '../../osdmap/edit.ts';
import { emptyIncremental } from '../../osdmap/incremental-model.ts';
import { applyIncremental } from '../../osdmap/incremental.ts';
import type { OsdMap } from '../../osdmap/model.ts';
import { stod, stoi } from '../c-numbers.ts';
import { CommandExit, type CommandIo, type TextSink } from '../io.ts';
import { formatFloat } from '../iostream-format.ts';
import { naming, readFileLikeCeph } from '../load.ts';
import { usageError, type OsdmaptoolOptions } from './options.ts';
import { cleanUpmapsInto } from './upmap-cleanup.ts';

/** A map, and whether it is to be written. */
export interface EditedMap {
  readonly map: OsdMap;
  readonly modified: boolean;
}

/** Does to a map what the options ask for. */
export async function editMap(
  { map, modified }: EditedMap,
  options: OsdmaptoolOptions,
  io: CommandIo,
  out: TextSink,
): Promise<EditedMap> {
  const { release } = options;
  map = markOsds(map, options, out);
  if (options.adjustCrushWeight !== '') {
    map = adjustWeights(map, options, out);
    modified ||= options.save;
  }
  if (options.clearTemp) {
    out.add('clearing pg/primary temp\n');
    map = clearTemp(map);
  }
  if (options.cleanTemps) {
    out.add('cleaning pg temps\n');
    // The original works out what to take away and forgets it.
    map = cleanTemps(map, { release });
  }
  if (options.upmapCleanup) map = await cleanUpmapsInto(map, options, out);
  if (options.importCrush !== '') {
    map = await importCrush(map, options.importCrush, io, out);
    modified = true;
  }
  return { map, modified };
}

function markOsds(map: OsdMap, options: OsdmaptoolOptions, out: TextSink): OsdMap {
  const isOsd = (osd: number): boolean => osd >= 0 && osd < map.maxOsd;
  if (options.markUpIn) {
    out.add('marking all OSDs up and in\n');
    map = markAllUpIn(map);
  }
  if (isOsd(options.markOut)) {
    out.add(`marking OSD@${options.markOut} as out\n`);
    map = markOut(map, options.markOut);
  }
  if (isOsd(options.markUp)) {
    out.add(`marking OSD@${options.markUp} as up\n`);
    map = markUp(map, options.markUp);
  }
  if (isOsd(options.markIn)) {
    // The original marks --mark-up's OSD here (and writes out of bounds when there is none).
    out.add(`marking OSD@${options.markIn} as in\n`);
    map = markIn(map, options.markIn);
  }
  return map;
}

/** Sets weights of devices, given as `OSD:WEIGHT` with commas between. */
function adjustWeights(map: OsdMap, options: OsdmaptoolOptions, out: TextSink): OsdMap {
  for (const part of options.adjustCrushWeight.split(',')) {
    if (part === '') continue;
    const colon = part.indexOf(':');
    if (colon < 0) {
      throw usageError("osdmaptool: use ':' as separator of osd id and its weight\n", options.release);
    }
    const osd = stoi(part.slice(0, colon));
    const weight = stod(part.slice(colon + 1));
    if (typeof osd === 'string' || typeof weight === 'string') {
      throw new CommandExit(1, `osdmaptool: '${part}' is not the number of an OSD and a weight\n`);
    }
    const draft = CrushDraft.from(map.crush);
    if (adjustItemWeight(draft, osd, fixedWeight(weight)) === 0) {
      throw new CommandExit(1, `osdmaptool: osd.${osd} is not in the crush map\n`);
    }
    map = { ...map, crush: draft.finish() };
    out.add(`Adjusted osd.${osd} CRUSH weight to ${formatFloat(weight)}\n`);
    // As the original, with an incremental that holds nothing: another epoch, of no time.
    if (options.save) map = applyIncremental(map, emptyIncremental(map));
  }
  return map;
}

async function importCrush(map: OsdMap, file: string, io: CommandIo, out: TextSink): Promise<OsdMap> {
  let bytes: Uint8Array;
  try {
    bytes = await readFileLikeCeph(file, io);
  } catch (error) {
    if (!(error instanceof CrushError) || error.code !== 'io') throw error;
    throw new CommandExit(1, `osdmaptool: error reading crush map from ${file}: ${error.message}\n`);
  }
  const crush = await naming(() => readCrushBinary(bytes), file);
  if (crush.maxDevices > map.maxOsd) {
    throw new CommandExit(
      1,
      `osdmaptool: crushmap max_devices ${crush.maxDevices} > osdmap max_osd ${map.maxOsd}\n`,
    );
  }
  out.add(`osdmaptool: imported ${bytes.length} byte crush map from ${file}\n`);
  return applyIncremental(map, { ...emptyIncremental(map), crush });
}
