/** Explains the arguments of `crush-wasm mds simulate`. */
export const MDS_SIMULATE_HELP = `
What is simulated is one of
  --generate KIND   hot-directory, many-users, untar or mdtest, of about --directories and --rate
  WORKLOAD.json     a tree, and what is done in it; --print-workload prints one that was generated, to start from
  FILES             what 'mds decide' reads (dump loads, get subtrees, ...): the load of these counters goes on

A workload is JSON:
  {
    "directories": [{ "path": "/home/user{1..20}", "files": 300 }, "/scratch"],
    "loads": [
      { "in": "/home/*", "op": "stat", "rate": 20 },
      { "in": "/scratch", "op": "create", "rate": 500, "from": 30, "to": 90 },
      { "in": "/home/*", "op": "readdir", "total_rate": 40, "spots": 1, "moves_every": 25 }
    ],
    "pins": [{ "path": "/scratch", "rank": 1 }]
  }
"op" is stat, open, open-write, setattr, create, mkdir, unlink, rmdir, rename, link, readdir, fetch or store; instead
of it, "hits": {"IRD": 1, ...} tells what one request hits. "rate" is for each directory, "total_rate" for all of them,
in requests a second; "from" and "to" are seconds. "spots" directories at once have the load, others after
"moves_every" seconds. "*" in a path is part of a name, a name of "**" any directories in between. Optional:
"subtrees": [{"path", "rank"}] at the start, pins with "distributed" or "random", "bal_rank_mask", "steady": true (it
has been going on for long), "cpu_ticks_per_request" (for mds_bal_mode=2), and "migration": {"discover_seconds",
"freeze_seconds", "inode_seconds"}.

--vary NAME=VALUE,VALUE simulates one variant for each value, side by side; given twice, one for each pair.

Loads are expected values: requests are a flow, not drawn one by one. Not simulated: client caches, capabilities,
reads of replicas, the time that requests themselves take, ranks that cannot keep up, and the seconds that the first
export to a rank waits for the monitors. How long exports block requests is an estimate ("migration"); compare with
your own cluster before you trust seconds.`;
