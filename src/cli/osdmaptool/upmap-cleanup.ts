/** `osdmaptool --upmap-cleanup`: the commands that take away upmaps which are of no use, and the map after them. */
import { writeFile } from 'node:fs/promises';
import type { OsdMap, PgTable } from '../../osdmap/model.ts';
import { pgRows } from '../../osdmap/pg-tables.ts';
import { cleanUpmaps } from '../../osdmap/upmap-cleanup.ts';
import { CommandExit, type TextSink } from '../io.ts';
import { formatPgId } from '../../osdmap/pg-text.ts';
import { describeSystemError } from '../load.ts';
import type { OsdmaptoolOptions } from './options.ts';

/** Cleans the upmaps of a map, with the commands in the file that the options name or on standard output. */
export async function cleanUpmapsInto(
  map: OsdMap,
  { upmapFile, vstart, release }: OsdmaptoolOptions,
  out: TextSink,
): Promise<OsdMap> {
  const toFile = upmapFile !== '-';
  if (toFile) {
    await writeCommands(upmapFile, '');
    out.add(`writing upmap command output to: ${upmapFile}\n`);
  }
  out.add('checking for upmap cleanups\n');
  const cleaned = cleanUpmaps(map, { release });
  const commands = cleanupCommands(map, cleaned, vstart ? './bin/ceph' : 'ceph');
  if (toFile) await writeCommands(upmapFile, commands);
  else out.add(commands);
  return cleaned;
}

function cleanupCommands(before: OsdMap, after: OsdMap, ceph: string): string {
  const lines: string[] = [];
  for (const pg of ended(before.pgUpmap, after.pgUpmap)) lines.push(`${ceph} osd rm-pg-upmap ${pg}\n`);
  for (const pg of ended(before.pgUpmapItems, after.pgUpmapItems)) {
    lines.push(`${ceph} osd rm-pg-upmap-items ${pg}\n`);
  }
  for (const [{ pool, ps }, pairs] of pgRows(after.pgUpmapItems)) {
    if (before.pgUpmapItems.get(pool)?.get(ps)?.length === pairs.length) continue;
    lines.push(`${ceph} osd pg-upmap-items ${formatPgId(pool, ps)} ${pairs.flat().join(' ')}\n`);
  }
  return lines.join('');
}

function ended(before: PgTable<unknown>, after: PgTable<unknown>): string[] {
  return [...pgRows(before)]
    .filter(([{ pool, ps }]) => after.get(pool)?.has(ps) !== true)
    .map(([{ pool, ps }]) => formatPgId(pool, ps));
}

async function writeCommands(file: string, commands: string): Promise<void> {
  try {
    await writeFile(file, commands);
  } catch (error) {
    throw new CommandExit(1, `error opening ${file}: ${describeSystemError(error)}\n`);
  }
}
