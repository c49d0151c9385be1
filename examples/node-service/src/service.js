import { Follower } from './follower.js';
import { makeServer } from './server.js';

/**
 * Follows a source and answers over HTTP.
 *
 * @param source - Files or a Command
 * @param {{host?: string, port?: number, seconds?: number, log?: (line: string) => void}} options - `seconds`: how
 * often the source is asked
 * @returns {Promise<{address: string, ready: Promise<void>, close: () => Promise<void>}>} once the port is open; it is
 * `ready` when the source was asked for the first time
 */
export async function startService(
  source,
  { host = '127.0.0.1', port = 0, seconds = 5, log = () => {} } = {},
) {
  const follower = new Follower(log);
  const server = makeServer(follower, log);
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const ready = source.poll(follower);
  const stop = repeat(
    ready,
    () => source.poll(follower),
    seconds,
    (wake) => source.watch(wake),
  );
  const { address, port: opened, family } = server.address();
  return {
    address: `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`,
    ready,
    async close() {
      server.closeAllConnections();
      source.stop();
      await Promise.all([new Promise((resolve) => server.close(resolve)), stop()]);
    },
  };
}

/** Does something again and again, one after the other: at the latest after some seconds, and soon when woken. */
function repeat(first, work, seconds, watch) {
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
    await first;
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
