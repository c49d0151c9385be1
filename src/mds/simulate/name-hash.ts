/** The hash that says in which fragment of its directory an entry is. */
import { stringHashRjenkins } from '../../osdmap/object-hash.ts';

const UTF8 = new TextEncoder();

/** Hash of an entry's name, as Ceph's default layout of directories has it (`rjenkins`). */
export function hashName(name: string): number {
  return stringHashRjenkins(UTF8.encode(name));
}
