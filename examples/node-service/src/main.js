// Follows maps and answers over HTTP:
//
//   npm start                                      the example cluster's map
//   npm start -- [OPTIONS] FILE                    a map, and what replaces it
//   npm start -- [OPTIONS] FOLDER                  whole maps and incrementals in a folder, as they come
//   npm start -- [OPTIONS] --run COMMAND ARG...    what a command prints, such as ceph osd getmap
//
//   --host HOST (127.0.0.1)   --port PORT (8788)   --every SECONDS (5): how often there is a look for new maps
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startService } from './service.js';
import { Command, Files } from './sources.js';

const USAGE =
  'usage: npm start -- [--host HOST] [--port PORT] [--every SECONDS] [FILE | FOLDER | --run COMMAND ARG...]';
const EXAMPLE = fileURLToPath(new URL('../../cluster-8osd/osdmap', import.meta.url));

const log = (line) => console.error(`${new Date().toISOString()} ${line}`);
try {
  const { source, options } = readArguments(process.argv.slice(2));
  const service = await startService(source, { ...options, log });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void service.close());
  await service.ready;
  console.log(`${service.address}/locate?pool=1&object=foo`);
} catch (error) {
  console.error(error.code?.startsWith('ERR_PARSE_ARGS') ? `${error.message}\n${USAGE}` : error.message);
  process.exitCode = 1;
}

function readArguments(given) {
  const run = given.indexOf('--run');
  const command = run < 0 ? [] : given.slice(run + 1);
  const { values, positionals } = parseArgs({
    args: run < 0 ? given : given.slice(0, run),
    allowPositionals: true,
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8788' },
      every: { type: 'string', default: '5' },
    },
  });
  if (positionals.length > (run < 0 ? 1 : 0) || (run >= 0 && command.length === 0)) throw new Error(USAGE);
  const [path = EXAMPLE] = positionals;
  return {
    // npm runs scripts in the package's folder; INIT_CWD is where its user is.
    source: run < 0 ? new Files(resolve(process.env.INIT_CWD ?? '.', path)) : new Command(command),
    options: {
      host: values.host,
      port: numberOf('--port', values.port, 0, 65_535),
      seconds: numberOf('--every', values.every, 1, 86_400),
    },
  };
}

function numberOf(option, text, least, most) {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new Error(`${option} ${text} is not ${least} to ${most}`);
}
