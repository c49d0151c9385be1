// Serves the worker on this machine: npm start [-- FILE], with the bundled map or a map of yours. PORT is 8787.
import { resolve } from 'node:path';
import { bundle, startWith } from './local.js';

const [file] = process.argv.slice(2);
try {
  await bundle();
  const port = Number(process.env.PORT ?? 8787);
  const miniflare = await startWith(
    file === undefined ? undefined : resolve(process.env.INIT_CWD ?? '.', file),
    {
      host: '127.0.0.1',
      port,
    },
  );
  const address = new URL('/locate', await miniflare.ready);
  console.log(`${address.origin}/healthz`);
  console.log(`${address}?pool=1&object=foo`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void miniflare.dispose());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
