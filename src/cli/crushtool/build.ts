/** `crushtool --build`: a new map of devices in layers of buckets, each layer dividing up the one below. */
import { CrushDraft } from '../../crush/draft.ts';
import { addBucket } from '../../crush/edit/bucket-table.ts';
import { addSimpleRule } from '../../crush/edit/rules.ts';
import { BUCKET_ALGORITHM, WEIGHT_ONE } from '../../crush/model.ts';
import { CrushError } from '../../errors.ts';
import { CommandExit, type TextSink } from '../io.ts';
import { PACIFIC } from '../release-option.ts';
import { simpleRuleSizes } from './edit.ts';
import { errnoText, exitStatus } from './errno.ts';
import type { CrushtoolOptions, Layer } from './options.ts';

/** Names of buckets are cut to this many bytes. */
const NAME_BYTES = 19;

/** Their patterns, the layer's name and `%d`, are cut to this many. */
const PATTERN_BYTES = 18;

/** Devices that are built at most; no cluster has as many, and each takes memory for its name. */
const MOST_DEVICES = 1 << 20;

/**
 * Builds the map that `--build --num-osds N NAME ALGORITHM SIZE ...` asks for.
 *
 * @throws CommandExit where the original ends.
 */
export function buildMap(options: CrushtoolOptions, err: TextSink): CrushDraft {
  const top = options.layers.at(-1);
  if (top === undefined) throw new CommandExit(1, 'crushtool: must specify at least one layer\n');
  if (options.numOsds > MOST_DEVICES) {
    throw new CommandExit(
      1,
      `crushtool: --num-osds ${options.numOsds} is too large; at most ${MOST_DEVICES} is supported\n`,
    );
  }
  const draft = CrushDraft.empty();
  let lower: Item[] = [];
  for (let id = 0; id < options.numOsds; id++) {
    lower.push({ id, weight: WEIGHT_ONE });
    draft.setItemName(id, `osd.${id}`);
  }
  draft.maxDevices = Math.max(0, options.numOsds);
  draft.setTypeName(0, 'osd');
  for (const [index, layer] of options.layers.entries()) lower = buildLayer(draft, layer, index + 1, lower);

  const root = top.size === 0 ? top.name : `${top.name}0`;
  if (lower.length > 1) {
    const rules = options.release > PACIFIC ? 'rules' : 'rulesets';
    err.add(
      `The crush ${rules} will use the root ${root}\nand ignore the others.\n` +
        `There are ${lower.length} roots, they can be\ngrouped into a single root by appending something like:\n` +
        '  root straw 0\n\n',
    );
  }
  if (draft.itemId(root) === undefined) throw new CommandExit(1, `root item ${root} does not exist`);
  addSimpleRule(draft, {
    name: 'replicated_rule',
    root,
    failureDomain: draft.typeNames.get(1) ?? '',
    mode: 'firstn',
    ...simpleRuleSizes('firstn', options.release),
  });
  return draft;
}

interface Item {
  readonly id: number;
  readonly weight: number;
}

function buildLayer(draft: CrushDraft, layer: Layer, type: number, lower: readonly Item[]): Item[] {
  draft.setTypeName(type, layer.name);
  const alg = Object.entries(BUCKET_ALGORITHM).find(([name]) => name === layer.algorithm)?.[1];
  if (alg === undefined) throw new CommandExit(1, `unknown bucket type '${layer.algorithm}'\n`);
  if (layer.size < 0 && lower.length > 0) {
    throw new CommandExit(1, `crushtool: layer ${layer.name} cannot have buckets of ${layer.size} items\n`);
  }
  const size = layer.size === 0 ? lower.length : layer.size;
  const buckets: Item[] = [];
  for (let start = 0; start < lower.length; start += size) {
    const items = lower.slice(start, start + size);
    const weights = items.map(({ weight }) => weight);
    const id = addOrExit(draft, { alg, type, items: items.map((item) => item.id), weights });
    draft.setItemName(id, bucketName(layer, buckets.length));
    buckets.push({ id, weight: weights.reduce((sum, weight) => (sum + weight) | 0, 0) });
  }
  return buckets;
}

function addOrExit(draft: CrushDraft, bucket: Parameters<typeof addBucket>[1]): number {
  try {
    return addBucket(draft, bucket);
  } catch (error) {
    if (!(error instanceof CrushError) || error.errno === undefined) throw error;
    throw new CommandExit(exitStatus(error.errno), ` Couldn't add bucket: ${errnoText(error.errno)}\n`);
  }
}

/** The layer's name with the bucket's number, unless all is one bucket; a `%` that was cut in two is dropped. */
function bucketName({ name, size }: Layer, index: number): string {
  if (size === 0) return name.slice(0, NAME_BYTES);
  const pattern = `${name}%d`.slice(0, PATTERN_BYTES);
  return pattern.replace(/%d$/, String(index)).replace(/%$/, '').slice(0, NAME_BYTES);
}
