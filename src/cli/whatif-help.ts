/** The part of `crush-wasm whatif --help` that says what changes look like. */
import { CHANGE_FORMS } from '../analysis/what-if/text.ts';
import { COMPARE_COLUMNS } from './compare-help.ts';

/** What changes look like, for `--help`. */
export const CHANGES_HELP = `
Changes, made one after the other; as words, or as lines of a file (--changes), where # starts a comment and ; ends
a change as a line does:
${CHANGE_FORMS.map(([form, what]) => `  ${form}\n      ${what}`).join('\n')}
TARGETS are OSDs and buckets with commas between: osd.3, 3, osd.3-7, host2 (all OSDs below it). TYPE=BUCKET names
a place in the hierarchy, such as host=host2. After each change upmaps go that Ceph's monitor would take away.

${COMPARE_COLUMNS}
The table of OSDs has SHARDS (BYTES, USED) before and AFTER. Columns of --fail-each: DEGRADED counts PGs that lack an
OSD while those of a bucket are down, BELOW MIN those of them that serve nothing, LOST those whose data cannot be read;
REBUILT SHARDS are copied elsewhere once the OSDs are out, STAY SHORT counts PGs that find no other OSD then,
FULLEST THEN is the fullest OSD, OF FAIR its shards by what its weight would have it hold, USED its disk.

Examples:
  crush-wasm whatif osdmap out osd.3 crush-weight host2 14.5
  crush-wasm whatif osdmap pool rbd pg_num 256 --save osdmap.new
  crush-wasm whatif osdmap rule ec failure-domain rack --stage
  crush-wasm whatif osdmap --fail-each host`;
