/** Explains the arguments of `crush-wasm mds plan`. */
export const MDS_PLAN_HELP = `
FILES are those of 'mds decide' ('crush-wasm mds decide --help' has them): 'dump loads' and 'get subtrees' of each rank,
and better 'ceph fs dump' too. Load of a rank whose 'dump loads' is missing stays. Counters remember some ten seconds
only: ask when the load is as usual, ask again at other times, and see by --former whether the plan still holds then.

A rank's load is its mds_load at the last beat, shared out to directories by their counters. The plan has the fewest
pins that bring all ranks within --tolerance of their share, on directories as shallow as will do; what is not pinned
stays where it is, or where the balancer takes it. Pins that are there are kept, and where all ranks are within the
tolerance nothing is planned: so a plan that has been carried out stays, while the load stays much the same.

Where a directory has more than a share by its own entries alone, no static pin helps: the report says what does.
--compare simulates what the balancer would make of the same load in as many beats.

--former keeps to the pins of an earlier plan that are not set yet, if a new one is not better by more than a pin.
--format commands prints the setfattr commands in the order to run them in, and those that undo them as comments.`;
