/** Colours of ranks. A colour comes again with every eighth rank, then hatched; words beside it always say the rank. */
import type { PictureMark } from '../../picture/paint.ts';
import { SEVERAL_RANKS, UNKNOWN_RANK } from '../../worker/topics/mds/rank-codes.ts';

const COLOURS = 8;

/** A rank's CSS colour. */
export function rankColour(rank: number): string {
  return rank < 0 ? 'var(--even)' : `var(--rank-${rank % COLOURS})`;
}

/** What tells ranks of one colour apart. */
export function rankMark(rank: number): PictureMark | undefined {
  if (rank === SEVERAL_RANKS) return 'hatched';
  return rank >= 0 && Math.floor(rank / COLOURS) % 2 === 1 ? 'hatched' : undefined;
}

/** A rank in words. */
export function rankName(rank: number): string {
  if (rank === UNKNOWN_RANK) return 'not known';
  return rank === SEVERAL_RANKS ? 'several' : `mds.${rank}`;
}
