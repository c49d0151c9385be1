/** What changes come to: the comparison in full, commands for the cluster, and the map as a file. */
import { compareMaps, type Floor, type MoveCause } from '../../../../src/analysis/compare.ts';
import { stepCommands } from '../../../../src/analysis/what-if/commands.ts';
import { writeCrushBinary } from '../../../../src/formats/crushmap-encode.ts';
import { writeCrushText } from '../../../../src/formats/crush-text-write.ts';
import { writeOsdMapBinary } from '../../../../src/formats/osdmap-encode.ts';
import { usesMsr } from '../../../../src/formats/osdmap-versions.ts';
import type { OpenDocument } from '../open-document.ts';
import { historyOf } from '../what-if/history.ts';

/** What could not have been avoided, and why PGs move. */
export interface FullComparison {
  readonly total: ComparedPool;
  readonly pools: readonly ComparedPool[];
  /** PGs and shards by cause, the most PGs first. */
  readonly causes: readonly { readonly cause: MoveCause; readonly pgs: number; readonly shards: number }[];
}

/** A pool, or all of them. */
export interface ComparedPool {
  readonly name: string;
  readonly shards: number;
  readonly movedShards: number;
  readonly movedPgs: number;
  /** PGs that keep none of their OSDs. */
  readonly replacedPgs: number;
  /** Shards that any placement would have to move. */
  readonly floor: Floor;
}

/** Commands, as a shell's lines. */
export interface CommandText {
  readonly text: string;
  /** Whether a command takes the CRUSH map from a file, which {@link savedMap} makes. */
  readonly needsCrushFile: boolean;
}

/** Forms in which the map can be saved. */
export type SavedForm = 'osdmap' | 'crushmap' | 'crushmap-text';

/** Name of the CRUSH map's file, as the commands have it. */
export const CRUSH_FILE = 'crushmap.changed';

/** Compares the current map with the map as it was read, with the floor and with causes; takes a while. */
export function whatIfComparison({ original, current }: OpenDocument): FullComparison {
  const { total, pools, causes } = compareMaps(original, current);
  return {
    total: { ...picked(total), name: 'all pools' },
    pools: pools.map((pool) => ({ ...picked(pool), name: pool.name })),
    causes: [...causes].map(([cause, counts]) => ({ cause, ...counts })).sort((a, b) => b.pgs - a.pgs),
  };
}

/** The commands that make the changes in effect. */
export function whatIfCommands(document: OpenDocument): CommandText {
  const { lines, needsCrushFile } = stepCommands(historyOf(document).steps, { crushFile: CRUSH_FILE });
  return { text: lines.map((line) => `${line}\n`).join(''), needsCrushFile };
}

/** The current map as a file. */
export function savedMap({ current, isMadeUp }: OpenDocument, form: SavedForm): Uint8Array {
  const { requireOsdRelease } = current.details;
  // As the cluster writes it itself, which for old ones has more of the rules.
  const isOld = !isMadeUp && requireOsdRelease > 0 && !usesMsr(current.crush);
  switch (form) {
    case 'osdmap':
      return writeOsdMapBinary(current);
    case 'crushmap':
      return writeCrushBinary(current.crush, isOld ? { release: requireOsdRelease } : {});
    case 'crushmap-text':
      return new TextEncoder().encode(writeCrushText(current.crush));
  }
}

function picked(counts: Omit<ComparedPool, 'name'>): Omit<ComparedPool, 'name'> {
  const { shards, movedShards, movedPgs, replacedPgs, floor } = counts;
  return { shards, movedShards, movedPgs, replacedPgs, floor };
}
