import { Follower } from './follower.js';
import { makeServer } from './server.js';

/**
 * Follows a source and answers over HTTP.
 *
 * @param source - Files or a Command
 * @param {{host?: string, port?: number, seconds?: number, log?: (line: string) => void}} options - `seconds`: how
 * often the source is asked
 * @returns {Promise<{address: string, close: () => Promise<void>}>} once the source was asked and the port is open
 */
export async function startService(
  source,
  { host = '127.0.0.1', port = 0, seconds = 5, log = () => {} } = {},
) {
  const follower = new Follower(log);
  await source.poll(follower);
  const server = makeServer(follower, log);
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const stop = repeat(
    () => source.poll(follower),
    seconds,
    (wake) => source.watch(wake),
  );
  const { address, port: opened, family } = server.address();
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`,
    async close() {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), stop()]);
    },
  };
}

/** Does something again and again, one after the other: at the latest after some seconds, and soon when woken. */
function repeat(work, seconds, watch) {
  let ended = false;
  let wake = () => {};
  let woken = false;
  const unwatch = watch(() => {
    woken = true;
    wake();
  });
  const pause = (milliseconds) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const loop = async () => {
    while (!ended) {
      if (!woken) await pause(seconds * 1000);
      // What writes one file often writes more.
      if (woken && !ended) await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLISECONDS));
      woken = false;
      if (!ended) await work();
    }
  };
  const done = loop();
  return async () => {
    ended = true;
    unwatch();
    wake();
    await done;
  };
}

const SETTLE_MILLISECONDS = 50;
