/** Explains the arguments of `crush-wasm mds decide`. */
export const MDS_DECIDE_HELP = `
FILES are what these commands print, in any order, gzip or not, with their warnings or without:
  ceph tell mds.N dump loads      of each rank: heartbeats and popularity (without a rank's, only amounts are told)
  ceph tell mds.N get subtrees    of each rank: what it holds, and pins
  ceph tell mds.N dump tree /     optional: what is replicated or frozen; a DEPTH behind / keeps it short
  ceph fs dump -f json            optional: max_mds, ranks, bal_rank_mask
Of which rank a file is, is found out from what is in it, or from its name; write N=FILE where that fails.

Loads and amounts are those of the last beat, to the last digit. Counters change after it; they are scaled so that
their sum is that of the beat (--counters as-is leaves them). What is not in these reports: for how many beats a rank
has been overloaded (it is taken to be long enough, see --overloaded-for), and which of several directories that
would do was hit last (the busiest is taken, the others are named).`;
