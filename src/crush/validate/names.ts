/** Checks of names: of items, types, rules and classes. */
import { isValidName } from '../names.ts';
import type { MapIndex } from './index-of-map.ts';
import { counted, type ProblemList, type ProblemPlace } from './problems.ts';
import { isChoose } from './rule-blocks.ts';

const VALID = 'letters, digits, and the characters . _ -';

/** Checks every name, and that whatever needs a name has one. */
export function checkNames(index: MapIndex, problems: ProblemList): void {
  const { map } = index;
  checkItemNames(index, problems);
  checkTable(map.typeNames, 'type', (type) => ({ type }), problems);
  checkTable(map.ruleNames, 'rule', (rule) => ({ rule }), problems);
  checkTable(map.classNames, 'class', (id) => ({ class: id }), problems);
  const types = new Set(index.buckets.map(({ type }) => type));
  for (const rule of map.rules) {
    for (const { op, arg2 } of rule?.steps ?? []) if (isChoose(op)) types.add(arg2);
  }
  for (const type of types) {
    // Type 0 is the devices'; maps without a name for it call them osd.
    if (type === 0 || map.typeNames.has(type)) continue;
    problems.add(
      'unnamed-type',
      { type },
      'buckets or rules use the type, but it has no name, so the map has no text form',
      `add 'type ${type} NAME' to the types in the text form, or rename it there`,
    );
  }
  for (const [id, rule] of map.rules.entries()) {
    if (rule === undefined || map.ruleNames.has(id)) continue;
    problems.add(
      'unnamed-rule',
      { rule: id },
      'the rule has no name, so that pools can be given it by number only, and not by commands',
      "name it in the text form: 'rule NAME {'",
    );
  }
}

function checkItemNames(index: MapIndex, problems: ProblemList): void {
  const { map } = index;
  const shadows = new Map<number, string>();
  const given = new Map<number, string>();
  for (const [id, name] of map.itemNames) (id < 0 && index.isShadow(id) ? shadows : given).set(id, name);
  checkTable(given, 'item', (id) => (id < 0 ? { bucket: id } : { item: id }), problems);
  for (const id of map.itemNames.keys()) {
    if (id >= 0 || index.bucket(id) !== undefined) continue;
    problems.add(
      'name-of-nothing',
      { bucket: id },
      'the name is of a bucket that is not in the map',
      "compile the map anew from its text form ('crushtool -d', then '-c')",
    );
  }
  for (const bucket of index.buckets) {
    if (map.itemNames.has(bucket.id)) continue;
    problems.add(
      'unnamed-bucket',
      { bucket: bucket.id },
      'the bucket has no name, so no command can tell it',
      "compile the map anew from its text form ('crushtool -d', then '-c') with a name there",
    );
  }
  let unnamed = 0;
  let first = 0;
  for (const [device] of index.held) {
    if (device >= 0 && !map.itemNames.has(device) && unnamed++ === 0) first = device;
  }
  if (unnamed === 0) return;
  problems.add(
    'unnamed-device',
    { item: first },
    `${counted(unnamed, 'device')} in buckets have no name`,
    `name them in the text form: 'device ${first} osd.${first}'`,
  );
}

/** Checks that names are valid and that no two are the same. */
function checkTable(
  names: ReadonlyMap<number, string>,
  what: string,
  placeOf: (id: number) => ProblemPlace,
  problems: ProblemList,
): void {
  const owners = new Map<string, number>();
  for (const [id, name] of names) {
    const quoted = JSON.stringify(name);
    if (!isValidName(name)) {
      problems.add(
        'invalid-name',
        placeOf(id),
        `the name ${quoted} is not valid; names have ${VALID}`,
        `rename it in the text form, or with 'ceph osd crush rename-bucket' or 'rule rename'`,
      );
    }
    const owner = owners.get(name);
    if (owner === undefined) owners.set(name, id);
    else {
      problems.add(
        'duplicate-name',
        placeOf(id),
        `${what} ${owner} has the name ${quoted} as well, so that commands and text mean one of them only`,
        'give one of them another name in the text form',
      );
    }
  }
}
