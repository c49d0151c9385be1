/**
 * Random commands for crushtool that edit a map: mostly such as a map allows, some that it must refuse.
 */
import type { CrushMap } from '../src/crush/model.ts';
import type { Random } from './random.ts';

const CLASSES = ['hdd', 'ssd', 'nvme'];
const WEIGHTS = ['1', '0', '0.5', '3.63869', '1.99999', '12.1', '0.00001', '7', '100.25'];
const ODD_WEIGHTS = [
  '-1',
  '32767.9',
  '32768',
  '70000',
  '1e30',
  'nan',
  '-0.000001',
  '0.1xyz',
  'abc',
  '300.123456',
];

/** The arguments of one command, without the files. */
export function randomEdit(map: CrushMap, random: Random): string[] {
  const names = new NamePicker(map, random);
  const edits = [
    ...repeat(5, () => names.addItem('--add-item')),
    ...repeat(5, () => names.addItem('--update-item')),
    ...repeat(3, () => ['--remove-item', names.item()]),
    ...repeat(5, () => ['--reweight-item', names.item(), names.weight()]),
    ...repeat(4, () => names.addBucket()),
    ...repeat(5, () => ['--move', names.item(), ...names.locations()]),
    ...repeat(2, () => ['--reweight']),
    ...repeat(1, () => ['--rebuild-class-roots']),
    ...repeat(3, () => names.createRule()),
    ...repeat(2, () => ['--remove-rule', names.rule()]),
    ...repeat(2, () => [
      '--rebuild-class-roots',
      '--set-subtree-class',
      names.bucket(),
      random.pick(CLASSES),
    ]),
    ...repeat(1, () => names.reclassify()),
    ...repeat(2, () => names.tunable()),
  ];
  const command = random.pick(edits)();
  // At times two edits in one command, which share what the tool has in memory.
  return random.chance(0.15) ? [...command, ...random.pick(edits)()] : command;
}

class NamePicker {
  readonly #map: CrushMap;
  readonly #random: Random;
  readonly #types: readonly string[];

  constructor(map: CrushMap, random: Random) {
    this.#map = map;
    this.#random = random;
    this.#types = [...map.typeNames].filter(([type]) => type > 0).map(([, name]) => name);
  }

  item(): string {
    return this.#random.chance(0.05)
      ? this.#random.pick(['nobody', '', 'a b', 'x~y'])
      : this.#random.pick([...this.#map.itemNames.values(), 'nobody']);
  }

  bucket(): string {
    const names = [...this.#map.itemNames].filter(([id, name]) => id < 0 && !name.includes('~'));
    return this.#random.pick([...names.map(([, name]) => name), 'newbie']);
  }

  rule(): string {
    return this.#random.pick([...this.#map.ruleNames.values(), 'no-rule']);
  }

  weight(): string {
    return this.#random.chance(0.1) ? this.#random.pick(ODD_WEIGHTS) : this.#random.pick(WEIGHTS);
  }

  /** `--loc TYPE NAME` for one to three types; the name is mostly that of a bucket of the type. */
  locations(): string[] {
    const random = this.#random;
    const count = random.pick([1, 1, 2, 2, 3]);
    const types = random.shuffled(this.#types).slice(0, count);
    return types.flatMap((type) => ['--loc', type, this.#bucketOfType(type)]);
  }

  addItem(option: string): string[] {
    const random = this.#random;
    const known = random.chance(option === '--add-item' ? 0.2 : 0.7);
    const devices = [...this.#map.itemNames].filter(([id]) => id >= 0);
    const [id, name] =
      known && devices.length > 0 ? random.pick(devices) : [random.below(80), `osd.${random.below(80)}`];
    const given = random.chance(0.1) ? `osd.${random.below(80)}` : random.chance(0.03) ? 'a b' : name;
    return [option, String(id), this.weight(), given, ...this.locations()];
  }

  addBucket(): string[] {
    const random = this.#random;
    const name = random.chance(0.1) ? this.item() : `new-${random.below(30)}`;
    const type = random.chance(0.05) ? 'nonsense' : random.pick([...this.#types, ...this.#types, 'osd']);
    return ['--add-bucket', name, type, ...(random.chance(0.6) ? this.locations() : [])];
  }

  createRule(): string[] {
    const random = this.#random;
    const name = random.chance(0.1) ? this.rule() : `rule-${random.below(40)}`;
    const type = random.chance(0.05) ? 'nonsense' : random.pick([...this.#types, 'osd']);
    const deviceClass = random.chance(0.5) ? ['--device-class', random.pick(CLASSES)] : [];
    if (random.chance(0.4)) return ['--create-replicated-rule', name, this.bucket(), type, ...deviceClass];
    const mode = random.pick(['firstn', 'indep', 'indep', 'sideways']);
    return ['--create-simple-rule', name, this.bucket(), type, mode, ...deviceClass];
  }

  reclassify(): string[] {
    const random = this.#random;
    const deviceClass = random.pick(CLASSES);
    const root = random.chance(0.6) ? ['--reclassify-root', this.bucket(), deviceClass] : [];
    const [first = 'x'] = this.bucket();
    const pattern = random.pick([`${first}%`, `%${first}`, this.bucket(), '%-ssd', 'new%']);
    const bucket = random.chance(0.6)
      ? ['--reclassify-bucket', pattern, random.pick(CLASSES), this.bucket()]
      : [];
    const subtree = random.chance(0.3) ? ['--set-subtree-class', this.bucket(), deviceClass] : [];
    return ['--reclassify', ...root, ...bucket, ...subtree];
  }

  tunable(): string[] {
    const random = this.#random;
    const [name, values] = random.pick([
      ['--set-choose-local-tries', [0, 2]],
      ['--set-choose-local-fallback-tries', [0, 5]],
      ['--set-choose-total-tries', [19, 50, 100]],
      ['--set-chooseleaf-descend-once', [0, 1, 2]],
      ['--set-chooseleaf-vary-r', [0, 1, 4, 257]],
      ['--set-chooseleaf-stable', [0, 1]],
      ['--set-straw-calc-version', [0, 1]],
      ['--set-allowed-bucket-algs', [54, 22, 62, 4, 16]],
    ] as const);
    return [name, String(random.pick<number>(values))];
  }

  #bucketOfType(type: string): string {
    const random = this.#random;
    if (random.chance(0.2)) return random.chance(0.2) ? 'bad name' : `new-${random.below(30)}`;
    const number = [...this.#map.typeNames].find(([, name]) => name === type)?.[0];
    const names = this.#map.buckets.flatMap((bucket) => {
      const name = this.#map.itemNames.get(bucket?.id ?? 0);
      return bucket?.type === number && name !== undefined && !name.includes('~') ? [name] : [];
    });
    return names.length === 0 || random.chance(0.05) ? this.item() : random.pick(names);
  }
}

function repeat<T>(count: number, value: T): T[] {
  return new Array<T>(count).fill(value);
}
