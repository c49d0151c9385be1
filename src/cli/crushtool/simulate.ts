/**
 * `crushtool --simulate`: devices drawn at random, until they are all in and the rule would not have them in the
 * same bucket. Follows `CrushTester::random_placement` (Ceph's src/crush/CrushTester.cc) with the same random
 * numbers.
 */
import type { CrushMap, CrushRule } from '../../crush/model.ts';
import { typeName } from '../../crush/names.ts';
import type { MapColumns } from '../../kernel/crush-mapper.ts';
import type { Lrand48 } from './lrand48.ts';
import { mostItemsOf } from './most-items.ts';
import { fullLocation } from './tree.ts';

/** Draws of a placement before it is given up, which leaves it empty. */
const MAX_TRIES = 100;

/** What inputs are mapped to, see {@link MapColumns}. */
export type Placements = Pick<MapColumns, 'items' | 'lengths'>;

/** Draws placements for the rules of one map. */
export class Simulator {
  readonly #map: CrushMap;
  readonly #weights: Uint32Array;
  readonly #random: Lrand48;
  readonly #locations = new Map<number, ReadonlyMap<string, string>>();

  /** @param weights - 16.16 reweights of the devices; those of 0 are out */
  constructor(map: CrushMap, weights: Uint32Array, random: Lrand48) {
    this.#map = map;
    this.#weights = weights;
    this.#random = random;
  }

  /** As many placements of `size` devices as asked for, laid out as the mapper's. */
  draw(rule: CrushRule, size: number, count: number): Placements {
    const items = new Int32Array(count * size);
    const lengths = new Int32Array(count);
    const wanted = Math.min(size, mostItemsOf(this.#map, rule));
    const total = this.#weights.reduce((sum, weight) => (sum + weight) | 0, 0);
    if (total === 0 || this.#map.maxDevices === 0) return { items, lengths };
    const types = this.#typesOf(rule);
    for (let i = 0; i < count; i++) {
      const placement = this.#drawOne(wanted, types);
      items.set(placement, i * size);
      lengths[i] = placement.length;
    }
    return { items, lengths };
  }

  #drawOne(wanted: number, types: readonly string[]): readonly number[] {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const devices = Array.from({ length: wanted }, () => this.#random.next() % this.#map.maxDevices);
      if (this.#isValid(devices, types)) return devices;
    }
    return [];
  }

  /** Whether all are in, none twice, and no two in one bucket of a type (`check_valid_placement`). */
  #isValid(devices: readonly number[], types: readonly string[]): boolean {
    if (devices.some((device) => this.#weights[device] === 0)) return false;
    if (new Set(devices).size < devices.length) return false;
    const seen = new Set<string>();
    for (const device of devices) {
      const location = this.#locationOf(device);
      for (const type of types) {
        // What is in no bucket of the type counts as being in one without a name.
        const name = location.get(type) ?? '';
        if (seen.has(name)) return false;
        seen.add(name);
      }
    }
    return true;
  }

  /** Types that a rule's steps name, for which devices have to differ; none where these are devices alone. */
  #typesOf(rule: CrushRule): readonly string[] {
    const types = rule.steps
      .filter(({ op }) => op >= 2 && op !== 4)
      .map(({ arg2 }) => typeName(this.#map, arg2) ?? '');
    const least = Math.min(this.#map.typeNames.size, ...this.#map.typeNames.keys());
    const isDevicesOnly = types.length === 1 && types[0] === 'osd' && typeName(this.#map, least) === 'osd';
    return isDevicesOnly ? [] : types;
  }

  #locationOf(device: number): ReadonlyMap<string, string> {
    const known = this.#locations.get(device) ?? fullLocation(this.#map, device);
    this.#locations.set(device, known);
    return known;
  }
}
