/** What is to be noticed of a PG: known to the worker, which finds it, and to the page, which shows it. */

/** Bits of a row's flags. */
export const PG_FLAG = {
  /** Exceptions that name the PG, whether or not they have an effect. */
  upmap: 1 << 0,
  upmapItems: 1 << 1,
  upmapPrimary: 1 << 2,
  pgTemp: 1 << 3,
  primaryTemp: 1 << 4,
  /** The acting set is another than the up set. */
  remapped: 1 << 5,
  /** The up set has fewer OSDs than the pool's size. */
  short: 1 << 6,
  /** The acting set has fewer OSDs than the pool's size. */
  undersized: 1 << 7,
  /** The acting set has fewer OSDs than min_size: the PG serves nothing. */
  inactive: 1 << 8,
  /** A place of an erasure set has no OSD. */
  hole: 1 << 9,
  /** Changes of the document put the PG's data on other OSDs, or on other places of an erasure set. */
  moved: 1 << 10,
  /** Changes of the document gave the PG another acting primary. */
  primaryMoved: 1 << 11,
  /** The PG is not in the map as it was read. */
  added: 1 << 12,
} as const;

const EXCEPTION =
  PG_FLAG.upmap | PG_FLAG.upmapItems | PG_FLAG.upmapPrimary | PG_FLAG.pgTemp | PG_FLAG.primaryTemp;

/** A choice of PGs: those with one of `flags`. */
export interface PgChoice {
  readonly id: string;
  readonly title: string;
  readonly flags: number;
  /** Only of use once the document has been changed. */
  readonly needsChange?: boolean;
}

/** Choices of PGs, as the page offers them and as a search takes them (`is:remapped`). */
export const PG_CHOICES = [
  { id: 'exception', title: 'with an upmap or temp', flags: EXCEPTION },
  {
    id: 'upmap',
    title: 'with an upmap',
    flags: PG_FLAG.upmap | PG_FLAG.upmapItems | PG_FLAG.upmapPrimary,
  },
  { id: 'temp', title: 'with a pg_temp or primary_temp', flags: PG_FLAG.pgTemp | PG_FLAG.primaryTemp },
  { id: 'remapped', title: 'remapped: acting is not up', flags: PG_FLAG.remapped },
  { id: 'short', title: 'short: up has fewer OSDs than size', flags: PG_FLAG.short },
  { id: 'undersized', title: 'undersized: acting has fewer than size', flags: PG_FLAG.undersized },
  { id: 'inactive', title: 'inactive: acting has fewer than min_size', flags: PG_FLAG.inactive },
  { id: 'moved', title: 'moved by the changes', flags: PG_FLAG.moved | PG_FLAG.added, needsChange: true },
  {
    id: 'primary-moved',
    title: 'with another primary by the changes',
    flags: PG_FLAG.primaryMoved,
    needsChange: true,
  },
] as const satisfies readonly PgChoice[];

/** The choice of a name, or undefined. */
export function findChoice(id: string): PgChoice | undefined {
  return PG_CHOICES.find((choice) => choice.id === id);
}

/** Words for flags, in the order in which they are shown. */
export const FLAG_WORDS: readonly (readonly [flag: number, word: string])[] = [
  [PG_FLAG.inactive, 'inactive'],
  [PG_FLAG.undersized, 'undersized'],
  [PG_FLAG.short, 'short'],
  [PG_FLAG.hole, 'hole'],
  [PG_FLAG.remapped, 'remapped'],
  [PG_FLAG.upmap, 'upmap'],
  [PG_FLAG.upmapItems, 'upmap-items'],
  [PG_FLAG.upmapPrimary, 'upmap-primary'],
  [PG_FLAG.pgTemp, 'pg_temp'],
  [PG_FLAG.primaryTemp, 'primary_temp'],
  [PG_FLAG.added, 'new'],
  [PG_FLAG.moved, 'moved'],
  [PG_FLAG.primaryMoved, 'primary moved'],
];

/** The words for a row's flags. */
export function flagWords(flags: number): string[] {
  return FLAG_WORDS.flatMap(([flag, word]) => ((flags & flag) === 0 ? [] : [word]));
}
