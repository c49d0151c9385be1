/** What `crush-wasm explain` prints, for its `--help`. */

/** What the JSON of the command looks like, for `--help`. */
export const EXPLAIN_HELP = `
Text has a line for each draw: bucket > item, r, the numbers that decide it, and what would have come next.
Straw2: u is 16 bits of hash(x, item, r), the draw is ln((u + 1) / 65536) in fixed point by the weight, and the
greatest wins. --verbose shows the draws of all items, and every attempt.

JSON: pgid, pool, object (hash, ps), seed (asked, ps, folded, x), rule_by, crush, overlay, and raw, up and acting
with their primaries. crush.steps are the rule's steps by kind: a choose step has choices[].places[].attempts[],
each with draws[] (bucket, r, item, winner, runner_up), path (ids of the buckets on the way down and of the item),
verdict, leaf (attempts below the item) and next; an MSR block has descents[].strides[]. overlay[] are the
exceptions of the OSDMap by kind, each with the set after it. A CRUSH map gives what is in crush alone. Weights
are 16.16 fixed point (65536 is 1.0), ids below 0 are buckets, null is a place without an OSD, or no primary.`;
