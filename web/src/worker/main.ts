/** The page's worker: it holds the map and computes everything, so that the page never waits. */
import { expose } from 'comlink';
import { PACKED_KERNEL } from 'virtual:packed-kernel';
import { gunzip } from '../../../src/formats/gzip.ts';
import { init } from '../../../src/kernel/kernel-module.ts';
import { pageApi } from './api.ts';
import { bytesOfDataUrl } from './data-url.ts';
import { toPageError } from './page-error.ts';

const kernel = gunzip(bytesOfDataUrl(PACKED_KERNEL), () => 2 ** 20).then(init);
// Each call tells of a failure.
kernel.catch(() => undefined);

/** Functions that wait for the kernel; asked in the meantime they would find none. */
function withKernel<Api extends object>(api: Api): Api {
  const waiting = Object.entries(api).map(([name, action]: [string, (...args: unknown[]) => unknown]) => [
    name,
    async (...args: unknown[]) => {
      await kernel.catch((error: unknown) => {
        // Plain data, which is all that crosses from a worker.
        // eslint-disable-next-line @typescript-eslint/only-throw-error
        throw toPageError(error);
      });
      return action(...args);
    },
  ]);
  return Object.fromEntries(waiting) as Api;
}

expose(withKernel(pageApi));
