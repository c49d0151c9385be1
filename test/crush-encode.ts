import { writeCrushBinary } from '../src/formats/crushmap-encode.ts';
import type { CrushMap } from '../src/crush/model.ts';

/** The map's bytes in the form of release 16, for crushtool to read: rules keep their masks. */
export function crushBytes(map: CrushMap): Uint8Array {
  return writeCrushBinary(map, { release: 16 });
}
