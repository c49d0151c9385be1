/** Names of devices and buckets for an explanation, and what shadow buckets stand for. */
import type { CrushMap } from '../../crush/model.ts';
import { ITEM_NONE } from '../../crush/model.ts';
import { findBucket } from '../../crush/names.ts';
import type { ShadowTrace } from './trace.ts';

/** A shadow bucket: of which bucket, and for which class. */
interface Shadow {
  readonly of: number;
  readonly class: string;
}

const shadowsOfMaps = new WeakMap<CrushMap, ReadonlyMap<number, Shadow>>();

/** Names the items of one map. */
export class ItemNamer {
  readonly #map: CrushMap;

  constructor(map: CrushMap) {
    this.#map = map;
  }

  /** The name the map has for an item; else, `bucket~class` for a shadow bucket, `osd.3`, `bucket -3`, or `none`. */
  nameOf(id: number): string {
    if (id === ITEM_NONE) return 'none';
    const name = this.#map.itemNames.get(id);
    if (name !== undefined) return name;
    if (id >= 0) return `osd.${id}`;
    const shadow = this.#shadows().get(id);
    return shadow === undefined ? `bucket ${id}` : `${this.nameOf(shadow.of)}~${shadow.class}`;
  }

  /** What a shadow bucket leaves of its bucket, or undefined for any other item. */
  shadowOf(id: number): ShadowTrace | undefined {
    const shadow = this.#shadows().get(id);
    if (shadow === undefined) return undefined;
    return {
      of: { id: shadow.of, name: this.nameOf(shadow.of) },
      class: shadow.class,
      devices: countDevices(this.#map, id),
      allDevices: countDevices(this.#map, shadow.of),
    };
  }

  #shadows(): ReadonlyMap<number, Shadow> {
    const known = shadowsOfMaps.get(this.#map);
    if (known !== undefined) return known;
    const shadows = new Map<number, Shadow>();
    for (const [of, classes] of this.#map.classBuckets) {
      for (const [number, id] of classes) {
        shadows.set(id, { of, class: this.#map.classNames.get(number) ?? `class ${number}` });
      }
    }
    shadowsOfMaps.set(this.#map, shadows);
    return shadows;
  }
}

/** Devices below a bucket, each counted once. */
function countDevices(map: CrushMap, id: number): number {
  const devices = new Set<number>();
  const seen = new Set([id]);
  const queue = [id];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const item of findBucket(map, next)?.items ?? []) {
      if (item >= 0) devices.add(item);
      else if (!seen.has(item)) {
        seen.add(item);
        queue.push(item);
      }
    }
  }
  return devices.size;
}
