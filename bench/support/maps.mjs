/** Makes CRUSH maps to measure with: regular hierarchies of any size, with weights and classes as asked. */
import { BUCKET_ALGORITHM, LEGACY_TUNABLES, RULE_OP, RULE_TYPE } from '../../dist/index.js';

const TYPE = { osd: 0, host: 1, rack: 3, root: 10 };
const MODERN_TUNABLES = {
  ...LEGACY_TUNABLES,
  chooseLocalTries: 0,
  chooseLocalFallbackTries: 0,
  chooseTotalTries: 50,
  chooseleafDescendOnce: 1,
  chooseleafVaryR: 1,
  chooseleafStable: 1,
  strawCalcVersion: 1,
  allowedBucketAlgs: 54,
};
const CLASSES = ['ssd', 'hdd'];

/** A weight of so many TiB, 16.16. */
export function weight(tebibytes) {
  return Math.floor(tebibytes * 0x10000);
}

/**
 * A map of a root, racks (or none), hosts and OSDs.
 *
 * @param shape - `racks`, `hosts` (of each rack, or in all) and `osds` (of each host: a number, or a function)
 * @param options - `weight`: 16.16 weight of an OSD, a number or a function of the OSD; `classOf`: 0 (ssd) or 1 (hdd)
 * by OSD, which adds shadow buckets; `algorithm`: straw2 unless `straw`, which needs equal weights; `legacy`: the
 * tunables of before 2012; `weightSet`: a factor by OSD, which adds choose_args set 0; `msr`: adds MSR rules
 */
export function makeMap({ racks, hosts, osds }, options) {
  const draft = new Draft(options);
  const hostsIn = (parent) => {
    for (let i = 0; i < hosts; i++) {
      const host = draft.bucket(TYPE.host, parent);
      const count = typeof osds === 'function' ? osds() : osds;
      for (let j = 0; j < count; j++) draft.osd(host);
    }
  };
  const root = draft.bucket(TYPE.root);
  if (racks === undefined) hostsIn(root);
  for (let i = 0; i < (racks ?? 0); i++) hostsIn(draft.bucket(TYPE.rack, root));
  return draft.finish(root);
}

class Draft {
  #options;
  #osds = 0;
  #buckets = [];
  #names = new Map();
  #weights = [];
  #classes = new Map();

  constructor(options) {
    this.#options = options;
  }

  bucket(type, parent) {
    const bucket = { id: -1 - this.#buckets.length, type, items: [] };
    this.#buckets.push(bucket);
    parent?.items.push(bucket.id);
    const kind = Object.keys(TYPE).find((name) => TYPE[name] === type);
    const number = this.#buckets.filter((other) => other.type === type).length - 1;
    this.#names.set(bucket.id, type === TYPE.root ? 'default' : `${kind}${number}`);
    return bucket;
  }

  osd(host) {
    const { weight: given, classOf } = this.#options;
    const osd = this.#osds++;
    host.items.push(osd);
    this.#names.set(osd, `osd.${osd}`);
    this.#weights.push(typeof given === 'function' ? given(osd) : given);
    if (classOf !== undefined) this.#classes.set(osd, classOf(osd));
  }

  finish(root) {
    const { legacy, msr, weightSet } = this.#options;
    const classBuckets = this.#classes.size > 0 ? this.#shadows() : new Map();
    const buckets = [];
    // Children stand behind their parents, so from the end on every child's weight is known.
    for (const draft of [...this.#buckets].reverse()) buckets[-1 - draft.id] = this.#encode(draft, buckets);
    const shadowsOfRoot = classBuckets.get(root.id);
    const rules = [...basicRules(root.id), ...(msr === true ? msrRules(root.id, shadowsOfRoot) : [])];
    return {
      maxDevices: this.#osds,
      buckets,
      rules: rules.map(({ type, steps }, id) => ({
        id,
        type,
        ruleset: id,
        minSize: 1,
        maxSize: 64,
        steps: steps.map(([op, arg1 = 0, arg2 = 0]) => ({ op, arg1, arg2 })),
      })),
      tunables: legacy === true ? LEGACY_TUNABLES : MODERN_TUNABLES,
      typeNames: new Map(Object.entries(TYPE).map(([name, type]) => [type, name])),
      itemNames: this.#names,
      ruleNames: new Map(rules.map(({ name }, id) => [id, name])),
      classNames: new Map(this.#classes.size > 0 ? CLASSES.map((name, id) => [id, name]) : []),
      itemClasses: this.#classes,
      classBuckets,
      chooseArgs: new Map(weightSet === undefined ? [] : [[0, this.#chooseArgs(buckets, weightSet)]]),
      encodedThrough: 9,
    };
  }

  /** For each class, a copy of every bucket with only the OSDs of that class. */
  #shadows() {
    const classBuckets = new Map(this.#buckets.map(({ id }) => [id, new Map()]));
    const originals = [...this.#buckets];
    CLASSES.forEach((className, classId) => {
      for (const original of originals) {
        const shadow = this.bucket(original.type);
        this.#names.set(shadow.id, `${this.#names.get(original.id)}~${className}`);
        classBuckets.get(original.id).set(classId, shadow.id);
      }
      for (const original of originals) {
        const shadow = this.#buckets[-1 - classBuckets.get(original.id).get(classId)];
        shadow.items = original.items
          .filter((item) => item < 0 || this.#classes.get(item) === classId)
          .map((item) => (item < 0 ? classBuckets.get(item).get(classId) : item));
      }
    });
    return classBuckets;
  }

  #encode({ id, type, items }, buckets) {
    const weights = items.map((item) => (item < 0 ? buckets[-1 - item].weight : this.#weights[item]));
    const base = {
      id,
      type,
      hash: 0,
      weight: weights.reduce((sum, each) => sum + each, 0),
      items: Int32Array.from(items),
      itemWeights: Uint32Array.from(weights),
    };
    if (this.#options.algorithm !== 'straw') return { ...base, alg: BUCKET_ALGORITHM.straw2 };
    if (weights.some((each) => each !== weights[0]))
      throw new Error('straws are made for equal weights only');
    return { ...base, alg: BUCKET_ALGORITHM.straw, straws: new Uint32Array(items.length).fill(0x10000) };
  }

  #chooseArgs(buckets, factor) {
    const totals = new Map();
    const args = new Map();
    for (const { id, items, itemWeights } of [...buckets].reverse()) {
      const weights = Uint32Array.from(items, (item, i) =>
        item < 0 ? totals.get(item) : Math.round(itemWeights[i] * factor(item)),
      );
      totals.set(
        id,
        weights.reduce((sum, each) => sum + each, 0),
      );
      args.set(id, { weightSet: [weights] });
    }
    return args;
  }
}

/** Rule 0: replicas on hosts. Rule 1: shards on hosts, as an erasure-code profile makes it. */
function basicRules(root) {
  const { take, emit, chooseleafFirstn, chooseleafIndep, setChooseTries, setChooseleafTries } = RULE_OP;
  return [
    {
      name: 'rep',
      type: RULE_TYPE.replicated,
      steps: [[take, root], [chooseleafFirstn, 0, TYPE.host], [emit]],
    },
    {
      name: 'ec',
      type: RULE_TYPE.erasure,
      steps: [
        [setChooseleafTries, 5],
        [setChooseTries, 100],
        [take, root],
        [chooseleafIndep, 0, TYPE.host],
        [emit],
      ],
    },
  ];
}

/** Rules 2 to 5, and 6 where there are classes: multi-step retry. */
function msrRules(root, shadows) {
  const { take, emit, chooseMsr, setMsrDescents, setMsrCollisionTries } = RULE_OP;
  const { msrFirstn, msrIndep } = RULE_TYPE;
  const blocks = (shadows === undefined ? [] : [...shadows.values()]).flatMap((shadow, i) => [
    [take, shadow],
    [chooseMsr, i + 1, TYPE.host],
    [chooseMsr, i + 1, TYPE.osd],
    [emit],
  ]);
  const rules = [
    {
      name: 'msr_firstn_host',
      type: msrFirstn,
      steps: [[take, root], [chooseMsr, 0, TYPE.host], [chooseMsr, 1, TYPE.osd], [emit]],
    },
    {
      name: 'msr_indep_4x3',
      type: msrIndep,
      steps: [[take, root], [chooseMsr, 4, TYPE.host], [chooseMsr, 3, TYPE.osd], [emit]],
    },
    {
      name: 'msr_indep_tuned',
      type: msrIndep,
      steps: [
        [setMsrDescents, 20],
        [setMsrCollisionTries, 10],
        [take, root],
        [chooseMsr, 0, TYPE.host],
        [chooseMsr, 1, TYPE.osd],
        [emit],
      ],
    },
    { name: 'msr_osd_only', type: msrIndep, steps: [[take, root], [chooseMsr, 0, TYPE.osd], [emit]] },
  ];
  return blocks.length === 0 ? rules : [...rules, { name: 'msr_two_blocks', type: msrFirstn, steps: blocks }];
}
