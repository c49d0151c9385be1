/** What examples there are; known to the page, while their data is the worker's. */

/** Examples by their names in links. */
export const EXAMPLES = [
  {
    id: 'cluster-8osd',
    title: 'a small real cluster',
    about: '8 OSDs, 8 pools of every kind, 321 PGs; captured from Ceph 16.2.15',
  },
  {
    id: 'large',
    title: 'a large made-up cluster',
    about: '10,080 OSDs in 28 racks, 100,352 PGs in three pools',
  },
] as const;
