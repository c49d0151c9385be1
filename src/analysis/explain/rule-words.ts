/** The words for how a rule maps: its steps, what was chosen, why not. */
import { itemText, placesText, plural, reweighingText, setText, shadowText } from './words.ts';
import type {
  Attempt,
  ChooseTrace,
  MsrBlockTrace,
  MsrStride,
  PlaceTrace,
  RuleTrace,
  StepTrace,
} from './trace.ts';

/** A rule, and what it is asked for. */
export function ruleTitle({ rule, x, size, chooseArgs }: RuleTrace): string {
  const args = chooseArgs === undefined ? '' : `, choose_args ${chooseArgs === -1 ? 'default' : chooseArgs}`;
  return `rule ${rule.id} '${rule.name ?? ''}' (${rule.type ?? ''}): x ${x}, at most ${size} items${args}`;
}

/** What a step does, besides its own text: undefined where there is no more to say. */
export function stepText(step: Exclude<StepTrace, MsrBlockTrace>): string | undefined {
  switch (step.kind) {
    case 'take':
      if (step.item === undefined) return 'ignored, the map has no such item';
      return `${itemText(step.item)}${shadowText(step.shadow)}`;
    case 'set':
      return step.applied ? undefined : 'ignored';
    case 'noop':
      return undefined;
    case 'emit':
      return `${setText(step.items)}${step.dropped === 0 ? '' : `; no room for ${step.dropped} more`}`;
    case 'choose':
      return chooseText(step);
  }
}

/** A block of steps of an MSR rule, as one line. */
export function blockTitle(block: MsrBlockTrace): string {
  const last = block.step + block.steps.length + 1;
  return `steps ${block.step}-${last}  ${[block.text, ...block.steps, 'emit'].join('; ')}`;
}

/** From where a block of an MSR rule chooses, and how often it may try. */
export function blockLines(block: MsrBlockTrace): [from: string, tries: string] {
  const tries = `${plural(block.tries, 'descent', 'descents')}, ${plural(block.collisionTries, 'collision try', 'collision tries')} each`;
  return [
    `from ${itemText(block.item)}${shadowText(block.shadow)}`,
    `${placesText(block.from, block.to)}; at most ${tries}`,
  ];
}

/** Why an MSR rule maps to nothing. */
export function malformedText(reason: string): string {
  return `maps to nothing, since no MSR rule is made like this: ${reason}`;
}

/** What was chosen for a place, with how many failures before. */
export function placeTitle(
  { place, replica, item, device, failures, leftBehind }: PlaceTrace,
  step: ChooseTrace,
): string {
  const title = step.mode === 'firstn' ? `replica ${replica}, place ${place}` : `place ${place}`;
  const after = failures === 0 ? '' : ` after ${plural(failures, 'failure', 'failures')}`;
  if (item === undefined) {
    const left = leftBehind === undefined ? '' : `; ${leftBehind.name}, although out, is left there`;
    return `${title}: nothing${after}${left}`;
  }
  const with_ = device === undefined || device.id === item.id ? '' : ` with ${device.name}`;
  const id = item.id < 0 ? ` (${item.id})` : '';
  return `${title}: ${item.name}${id}${with_}${after}`;
}

/** A verdict in words; undefined for one that needs none. */
export function verdictText({ verdict, item }: Attempt, type: string): string | undefined {
  const name = item?.name ?? '';
  switch (verdict.code) {
    case 'chosen':
      return verdict.reweighing === undefined ? undefined : reweighingText(name, verdict.reweighing);
    case 'collision':
      return `collision: ${name} is at place ${verdict.place} already`;
    case 'out':
      return reweighingText(name, verdict.reweighing);
    case 'no-leaf':
      return `rejected: no device was found below ${name}`;
    case 'empty-bucket':
      return `rejected: ${verdict.bucket.name} is empty`;
    case 'no-device':
      return `given up: ${name} is beyond the map's max_devices`;
    case 'wrong-type':
      return `given up: ${name} is a device, where a ${type} is wanted`;
  }
}

/** What follows an attempt that failed, to be put behind its verdict. */
export function nextText({ next, draws, verdict }: Attempt, tries: number): string {
  const bucket = verdict.code === 'empty-bucket' ? verdict.bucket.name : draws.at(-1)?.bucket.name;
  switch (next) {
    case 'local':
      return `; again from ${bucket ?? ''} (local retry)`;
    case 'exhaustive':
      return `; again from ${bucket ?? ''} (exhaustive search)`;
    case 'descent':
      return '; again from the top';
    case 'tries-used-up':
      return tries === 1 ? '; the only try is used up' : `; the ${tries} tries are used up`;
    default:
      return '';
  }
}

/** Failed attempts that are only counted, and those that were not even recorded. */
export function foldedText(attempts: readonly Attempt[], omitted: number): string {
  const counts = new Map<string, number>();
  for (const { verdict } of attempts) {
    const word = FOLDED_WORDS[verdict.code];
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  if (omitted > 0) counts.set('not recorded', omitted);
  const what = [...counts].map(([code, count]) => `${count} ${code}`).join(', ');
  return `${attempts.length + omitted} more that failed: ${what}`;
}

/** What became of a stride of an MSR step. */
export function strideText({ outcome, item, filled, reweighing, released }: MsrStride): string {
  const name = item?.name ?? '';
  switch (outcome) {
    case 'chosen':
      return reweighing === undefined ? name : `${name} (${reweighingText(name, reweighing)})`;
    case 'descended':
      return `${name}, ${filled} filled${released ? ', so it is free again' : ''}`;
    case 'out':
      return reweighing === undefined ? 'out' : `nothing, ${reweighingText(name, reweighing)}`;
    case 'collision':
      return 'nothing, the collision tries are used up';
    case 'malformed':
      return `nothing, no such step can end at ${name}`;
  }
}

function chooseText(step: ChooseTrace): string {
  const { wanted, choices, mode, tries, toLeaf, leafTries, localTries, fallbackTries, varyR, stable } = step;
  if (wanted <= 0) return 'none, the size leaves no place for any';
  if (choices.length === 0) return 'nothing to choose below';
  const below =
    choices.length > 1 ? ` below each of ${choices.length}` : ` below ${choices[0]?.bucket.name ?? ''}`;
  const parts = [`${wanted}${below}`, plural(tries, 'try', 'tries')];
  if (toLeaf) parts.push(`${plural(leafTries, 'try', 'tries')} for a device below`);
  if (mode === 'firstn') {
    if (localTries > 0) parts.push(plural(localTries, 'local retry', 'local retries'));
    if (fallbackTries > 0)
      parts.push(`${plural(fallbackTries, 'retry', 'retries')} before an exhaustive search`);
    if (toLeaf) parts.push(`vary_r ${varyR}`, stable ? 'stable' : 'not stable');
  }
  return parts.join(', ');
}

/** What became of attempts that are only counted. */
const FOLDED_WORDS = {
  chosen: 'chosen',
  collision: 'collided',
  out: 'out',
  'no-leaf': 'without a device',
  'empty-bucket': 'at an empty bucket',
  'no-device': 'given up',
  'wrong-type': 'given up',
} as const;
