/**
 * One input on its way through a map: what stays the same while it is traced, the lookups that every part of the
 * trace makes, and the bounds on how much is drawn and recorded.
 */
import type { ChooseArgs, CrushBucket, CrushMap } from '../../crush/model.ts';
import { findBucket } from '../../crush/names.ts';
import { CrushError } from '../../errors.ts';
import { hash32 } from '../../kernel/kernel.ts';
import { ItemNamer } from './item-names.ts';
import type { Reweighing, TraceBucket, TraceItem } from './trace.ts';

/** Which draws of a bucket are recorded: the winner and the runner-up, or those of all items. */
export type RecordedDraws = 'best' | 'all';

/** What bounds a trace. */
export interface WalkLimits {
  readonly draws: RecordedDraws;
  /** Most bucket items that may be drawn. */
  readonly work: number;
  /** Most failed attempts that are recorded. */
  readonly attempts: number;
}

/** The way of one input through one map. */
export class Walk {
  readonly map: CrushMap;
  readonly x: number;
  /** 16.16 chance to stay in, a device each; devices beyond its end are out. */
  readonly reweights: Uint32Array;
  readonly chooseArgs: ChooseArgs | undefined;
  readonly recordsAll: boolean;
  readonly names: ItemNamer;
  readonly #limits: WalkLimits;
  readonly #buckets = new Map<number, TraceBucket>();
  #workLeft: number;
  #roomLeft: number;

  constructor(
    map: CrushMap,
    x: number,
    reweights: Uint32Array,
    chooseArgs: ChooseArgs | undefined,
    limits: WalkLimits,
  ) {
    this.map = map;
    this.x = x | 0;
    this.reweights = reweights;
    this.chooseArgs = chooseArgs;
    this.recordsAll = limits.draws === 'all';
    this.names = new ItemNamer(map);
    this.#limits = limits;
    this.#workLeft = limits.work;
    this.#roomLeft = limits.attempts;
  }

  /** The bucket `id`; maps are checked before they are traced, so it is there. */
  bucket(id: number): CrushBucket {
    const bucket = findBucket(this.map, id);
    if (bucket === undefined) throw new CrushError('invalid-map', `there is no bucket ${id}`);
    return bucket;
  }

  /** Type number of a device (0) or bucket. */
  typeOf(item: number): number {
    return item < 0 ? this.bucket(item).type : 0;
  }

  item(id: number): TraceItem {
    return { id, name: this.names.nameOf(id) };
  }

  traced({ id, type }: CrushBucket): TraceBucket {
    let traced = this.#buckets.get(id);
    if (traced === undefined) {
      traced = { id, name: this.names.nameOf(id), type: this.typeName(type) };
      this.#buckets.set(id, traced);
    }
    return traced;
  }

  typeName(type: number): string {
    return this.map.typeNames.get(type) ?? (type === 0 ? 'osd' : `type ${type}`);
  }

  /** How a device's reweight judges it for this input (`is_out`); undefined for one that is fully in. */
  reweigh(device: number): Reweighing | undefined {
    const reweight = this.reweights[device] ?? 0;
    if (reweight >= 0x10000) return undefined;
    if (reweight === 0) return { reweight, isOut: true };
    const hash = hash32(this.x, device) & 0xffff;
    return { reweight, hash, isOut: hash >= reweight };
  }

  /**
   * Pays for work: bucket items to draw, or one for a try that draws none.
   *
   * @throws CrushError `work-limit`
   */
  spend(work: number): void {
    this.#workLeft -= work;
    if (this.#workLeft >= 0) return;
    throw new CrushError(
      'work-limit',
      `input ${this.x} drew more than ${this.#limits.work} bucket items; lower the tries tunables or raise workLimit`,
    );
  }

  /** Whether there is room to record one more attempt that failed. */
  takeRoom(): boolean {
    return this.#roomLeft-- > 0;
  }
}
