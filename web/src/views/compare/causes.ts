/** Causes of moves in words. */
import type { MoveCause } from '../../../../src/analysis/compare.ts';

/** What each cause means. */
export const CAUSE_WORDS: Readonly<Record<MoveCause, string>> = {
  'pg-num': 'the pool has other numbers of PGs',
  size: 'the pool has another size',
  'osd-removed': 'an OSD is gone',
  'osd-out': 'an OSD is out',
  'osd-down': 'an OSD is down',
  'bucket-moved': 'a bucket stands elsewhere',
  'osd-added': 'an OSD is new',
  'osd-up': 'an OSD is up again',
  'osd-in': 'an OSD is in again',
  reweight: 'an OSD has another reweight',
  'crush-weight': 'CRUSH weights are others',
  'bucket-algorithm': 'a bucket draws by another algorithm',
  'device-class': 'OSDs have another device class',
  'choose-args': 'weight-sets are others',
  rule: 'the rule is another',
  tunables: 'tunables are others',
  'upmap-dropped': 'an upmap is gone',
  'upmap-added': 'an upmap is new or another',
  'upmap-useless': 'an upmap applies no more',
  affinity: 'primary affinities are others',
  temp: 'a temporary mapping came or went',
  other: 'something else, such as pool flags',
};
