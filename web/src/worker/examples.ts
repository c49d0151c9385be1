/** Maps that the page brings along. They are part of its code: it makes no connections. */
import { readMap, type MapFile } from '../../../src/formats/detect.ts';
import { CrushError } from '../../../src/errors.ts';
import cluster from '../../../examples/cluster-8osd/osdmap?url&inline';
import { bytesOfDataUrl } from './data-url.ts';
import { EXAMPLES } from './example-list.ts';
import { largeCluster } from './large-cluster.ts';

/**
 * Reads or makes an example.
 *
 * @throws CrushError `not-found` for what is no example's name
 */
export function readExample(id: string): { readonly name: string; readonly file: MapFile } {
  const example = EXAMPLES.find((each) => each.id === id);
  if (example === undefined) throw new CrushError('not-found', `there is no example '${id}'`);
  const file: MapFile =
    example.id === 'large'
      ? { kind: 'osdmap', encoding: 'binary', map: largeCluster() }
      : readMap(bytesOfDataUrl(cluster));
  return { name: example.title, file };
}
