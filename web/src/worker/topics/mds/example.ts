/** What two metadata servers of a small real cluster printed under load; a part of the code that is loaded when it is asked for. */
import loads0 from '../../../../../test/fixtures/mds/cluster-8osd/mds.0.dump-loads.json.gz?url&inline';
import subtrees0 from '../../../../../test/fixtures/mds/cluster-8osd/mds.0.subtrees.json.gz?url&inline';
import loads1 from '../../../../../test/fixtures/mds/cluster-8osd/mds.1.dump-loads.json.gz?url&inline';
import subtrees1 from '../../../../../test/fixtures/mds/cluster-8osd/mds.1.subtrees.json.gz?url&inline';
import { bytesOfDataUrl } from '../../data-url.ts';
import type { MdsGivenFile } from './desk.ts';

/** The example's files. */
export function exampleFiles(): readonly MdsGivenFile[] {
  return [
    { name: 'mds.0.dump-loads.json.gz', bytes: bytesOfDataUrl(loads0) },
    { name: 'mds.0.subtrees.json.gz', bytes: bytesOfDataUrl(subtrees0) },
    { name: 'mds.1.dump-loads.json.gz', bytes: bytesOfDataUrl(loads1) },
    { name: 'mds.1.subtrees.json.gz', bytes: bytesOfDataUrl(subtrees1) },
  ];
}
