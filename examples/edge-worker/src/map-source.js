// Where the map comes from. A source's load() gives the bytes and their version, or nothing where it still has the
// version that is known.
import bundled from '../../cluster-8osd/osdmap';
import { Problem } from './problem.js';

/** Most bytes of a map, as it is and unpacked: an isolate has 128 MB for all. That of 10,000 OSDs has some MB. */
export const MAX_MAP_BYTES = 32 * 2 ** 20;

/** The source that the environment binds: R2, else KV, else the map in the worker's own code. */
export function sourceOf(environment) {
  const key = environment.MAP_KEY ?? 'osdmap';
  if (environment.MAP_BUCKET !== undefined) return fromR2(environment.MAP_BUCKET, key);
  if (environment.MAP_KV !== undefined) return fromKV(environment.MAP_KV, key);
  return {
    name: 'the bundled map',
    changes: false,
    load: () => Promise.resolve({ version: 'bundled', bytes: new Uint8Array(bundled) }),
  };
}

function fromR2(bucket, key) {
  const name = `R2 object '${key}'`;
  return {
    name,
    changes: true,
    async load(known) {
      const object = await bucket.get(
        key,
        known === undefined ? {} : { onlyIf: { etagDoesNotMatch: known } },
      );
      if (object === null) throw absent(name);
      if (object.body === undefined) return undefined;
      if (object.size > MAX_MAP_BYTES) {
        await object.body.cancel();
        throw tooLarge(name);
      }
      return { version: object.etag, bytes: new Uint8Array(await object.arrayBuffer()) };
    },
  };
}

/** KV has no ETags: a `version` in the value's metadata stands for one, and without it the value is read each time. */
function fromKV(namespace, key) {
  const name = `KV value '${key}'`;
  return {
    name,
    changes: true,
    async load(known) {
      const { value, metadata } = await namespace.getWithMetadata(key, { type: 'stream' });
      if (value === null) throw absent(name);
      const version = metadata?.version === undefined ? undefined : String(metadata.version);
      if (version !== undefined && version === known) {
        await value.cancel();
        return undefined;
      }
      // At most 25 MiB, which is KV's limit.
      return { version, bytes: new Uint8Array(await new Response(value).arrayBuffer()) };
    },
  };
}

function absent(name) {
  return new Problem(503, 'no-map', `there is no ${name}; put the file of 'ceph osd getmap' there`);
}

function tooLarge(name) {
  return new Problem(503, 'no-map', `the ${name} has more than ${MAX_MAP_BYTES} bytes`);
}
