/** What the columns of `compare` and `whatif` mean, for their `--help`. */

/** Columns of the tables of both commands. */
export const COMPARE_COLUMNS = `Columns of the table of pools: PGS in all, those that MOVE; SHARDS in all, those that MOVE, their part;
FLOOR is how many have to move by rules and weights whatever one does, RATIO how many times that move; LED ANEW
counts PGs with another primary. After the change, SHORT counts PGs with fewer OSDs than their pool's size, BELOW MIN
those with fewer than min_size, which serve nothing. With --pg-dump, OBJECTS and BYTES are what is copied. CAUSE is
which difference between the maps moves a PG, FROM and TO are between which buckets shards go.`;
