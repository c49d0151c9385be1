/** Checks of tunables and of the algorithms of buckets. */
import { BUCKET_ALGORITHM, type CrushTunables } from '../model.ts';
import { tunablesProfile } from '../tunables.ts';
import type { MapIndex } from './index-of-map.ts';
import { counted, itemText, someOf, type ProblemList } from './problems.ts';

/** What the jewel profile asks for: every map made since 2016 has it. */
const JEWEL = {
  choose_local_tries: 0,
  choose_local_fallback_tries: 0,
  choose_total_tries: 50,
  chooseleaf_descend_once: 1,
  chooseleaf_vary_r: 1,
  chooseleaf_stable: 1,
} as const;

type PlacementTunable = keyof typeof JEWEL;

/** Profiles before hammer, which monitors complain of. */
const LEGACY = new Set<string | undefined>(['argonaut', 'bobtail', 'firefly']);

/** Checks the tunables, and which algorithms buckets have. */
export function checkTunables(index: MapIndex, problems: ProblemList): void {
  const { tunables } = index.map;
  checkRanges(tunables, problems);
  checkProfile(tunables, problems);
  const straws = index.buckets.filter(({ alg }) => alg === BUCKET_ALGORITHM.straw);
  if (tunables.strawCalcVersion < 1 && straws.length > 0) {
    problems.add(
      'straw-calc-version',
      { tunable: 'straw_calc_version' },
      'straw lengths are computed the old way, which is wrong where weights are equal or 0',
      "'ceph osd crush set-tunable straw_calc_version 1', then 'ceph osd crush reweight-all' (moves some data)",
    );
  }
  if ((tunables.allowedBucketAlgs & (1 << BUCKET_ALGORITHM.straw2)) === 0) {
    problems.add(
      'straw2-not-allowed',
      { tunable: 'allowed_bucket_algs' },
      'new buckets may not be of straw2, the algorithm that moves least when weights change',
      "'ceph osd crush tunables jewel', or 'tunable allowed_bucket_algs 54' in the text form",
    );
  }
  for (const advice of ALGORITHM_ADVICE) adviseOn(index, advice, problems);
}

function placementOf(tunables: CrushTunables): Readonly<Record<PlacementTunable, number>> {
  return {
    choose_local_tries: tunables.chooseLocalTries,
    choose_local_fallback_tries: tunables.chooseLocalFallbackTries,
    choose_total_tries: tunables.chooseTotalTries,
    chooseleaf_descend_once: tunables.chooseleafDescendOnce,
    chooseleaf_vary_r: tunables.chooseleafVaryR,
    chooseleaf_stable: tunables.chooseleafStable,
  };
}

function checkRanges(tunables: CrushTunables, problems: ProblemList): void {
  const values = placementOf(tunables);
  for (const [name, value] of Object.entries(values)) {
    const most = name === 'chooseleaf_vary_r' || name === 'chooseleaf_stable' ? 0xff : 0x7fff_ffff;
    if (value >= 0 && value <= most) continue;
    problems.add(
      'tunable-range',
      { tunable: name },
      `it is ${value}; a number from 0 to ${most} is needed`,
      `set 'tunable ${name} ${JEWEL[name as PlacementTunable]}' in the text form`,
    );
  }
}

function checkProfile(tunables: CrushTunables, problems: ProblemList): void {
  const values = placementOf(tunables);
  // More tries than the profile's are no fault.
  const differing = (Object.keys(JEWEL) as PlacementTunable[]).filter((name) =>
    name === 'choose_total_tries' ? values[name] < JEWEL[name] : values[name] !== JEWEL[name],
  );
  const [first] = differing;
  if (first === undefined) return;
  const profile = tunablesProfile(tunables);
  const isLegacy = LEGACY.has(profile) || differing.some((name) => name !== 'chooseleaf_stable');
  const list = differing.map((name) => `${name} ${values[name]} instead of ${JEWEL[name]}`).join(', ');
  const title = profile === undefined ? 'they are of no profile' : `the profile is ${profile}`;
  problems.add(
    isLegacy ? 'legacy-tunables' : 'older-tunables',
    { tunable: first },
    isLegacy
      ? `${title} (${list}): mappings fall short and spread unevenly more often than they need`
      : `${title} (${list}): more data moves when an OSD goes out than has to`,
    "'ceph osd crush tunables jewel' once every client knows it (hammer's know all but chooseleaf_stable); " +
      'it moves much of the data, once',
  );
}

interface AlgorithmAdvice {
  readonly code: 'straw-buckets' | 'uniform-buckets' | 'list-buckets' | 'tree-buckets';
  readonly name: keyof typeof BUCKET_ALGORITHM;
  readonly drawback: string;
  readonly cure: string;
}

const TO_STRAW2 = "write 'alg straw2' for them in the text form (moves data)";

const ALGORITHM_ADVICE: readonly AlgorithmAdvice[] = [
  {
    code: 'straw-buckets',
    name: 'straw',
    drawback: 'a change of one weight moves data between the others',
    cure: "'ceph osd crush set-all-straw-buckets-to-straw2' (moves little data)",
  },
  {
    code: 'uniform-buckets',
    name: 'uniform',
    drawback: 'items have one weight, and nearly all data moves when an item comes or goes',
    cure: TO_STRAW2,
  },
  {
    code: 'list-buckets',
    name: 'list',
    drawback: 'data moves more than it has to when an item other than the newest goes',
    cure: TO_STRAW2,
  },
  {
    code: 'tree-buckets',
    name: 'tree',
    drawback: 'data moves more than it has to when items come or go',
    cure: TO_STRAW2,
  },
];

function adviseOn(
  index: MapIndex,
  { code, name, drawback, cure }: AlgorithmAdvice,
  problems: ProblemList,
): void {
  const buckets = index.buckets.filter(
    ({ id, alg }) => alg === BUCKET_ALGORITHM[name] && !index.isShadow(id),
  );
  const [first] = buckets;
  if (first === undefined) return;
  const names = buckets.map(({ id }) => itemText(index.map, id));
  problems.add(
    code,
    { bucket: first.id },
    `${counted(buckets.length, 'bucket')} of the ${name} algorithm (${someOf(names)}): ${drawback}`,
    cure,
  );
}
