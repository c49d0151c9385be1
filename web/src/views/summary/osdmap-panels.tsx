/** The summary's panels of the file and of the OSDMap. */
import type { CrcState, MapFacts, OsdMapFacts } from '../../../../src/analysis/map-facts.ts';
import { count, counted } from '../../parts/format.ts';
import type { Summary } from '../../worker/topics/summary.ts';
import { FactPanel, GoTo, type Fact } from './fact-list.tsx';

const CRC_WORDS: Readonly<Record<CrcState, string>> = {
  ok: 'fits the content',
  wrong: 'does not fit the content: the file is damaged, or was edited',
  none: 'the encoding has none',
};

/** What file it is. */
export function FilePanel({
  name,
  facts,
  isChanged,
}: {
  readonly name: string;
  readonly facts: MapFacts;
  readonly isChanged: boolean;
}) {
  const { osdmap } = facts;
  const list: Fact[] = [
    ['name', name],
    ['kind', facts.kind === 'osdmap' ? 'OSDMap' : 'CRUSH map alone: no pools, no OSD states'],
    ['encoding', facts.encoding],
  ];
  if (osdmap)
    list.push([
      'checksum',
      <span class={osdmap.crc === 'wrong' ? 'summary-odd' : ''}>{CRC_WORDS[osdmap.crc]}</span>,
    ]);
  if (isChanged) list.push(['changes', 'what is shown is the map with your changes']);
  return <FactPanel id="file" title="File" facts={list} />;
}

/** What cluster it is of, and when. */
export function ClusterPanel({
  osdmap,
  ratios,
}: {
  readonly osdmap: OsdMapFacts;
  readonly ratios: Summary['ratios'];
}) {
  const list: Fact[] = [
    ['fsid', <span class="mono">{osdmap.fsid}</span>],
    ['epoch', String(osdmap.epoch)],
    ['created', timeText(osdmap.created)],
    ['modified', timeText(osdmap.modified)],
    ['OSDs required', osdmap.release === 'unknown' ? 'of any release' : `${osdmap.release} or newer`],
    ['clients required', `${osdmap.minCompatClient} or newer, by the features in use`],
    ['flags', osdmap.flags.join(', ') || 'none'],
  ];
  if (ratios && ratios.full > 0) {
    list.push([
      'full ratios',
      `nearfull ${ratios.nearfull}, backfillfull ${ratios.backfillfull}, full ${ratios.full}`,
    ]);
  }
  return <FactPanel id="cluster" title="Cluster" facts={list} />;
}

/** How many OSDs there are, and how they are. */
export function OsdPanel({ osds }: { readonly osds: OsdMapFacts['osds'] }) {
  const found = (number: number, query: string) =>
    number === 0 ? (
      '0'
    ) : (
      <GoTo view="hierarchy" subjects={{ find: query }}>
        {count(number)}
      </GoTo>
    );
  const list: Fact[] = [
    ['exist', `${count(osds.exist)} (ids below ${count(osds.max)})`],
    ['up', count(osds.up)],
    ['down', found(osds.exist - osds.up, 'state:down')],
    ['in', count(osds.in)],
    ['out', found(osds.exist - osds.in, 'state:out')],
    ['reweighted', count(osds.reweighted)],
    ['with primary affinity', count(osds.withPrimaryAffinity)],
  ];
  return <FactPanel id="osds" title="OSDs" facts={list} />;
}

/** How many pools there are, and their PGs. */
export function PoolPanel({ pools }: { readonly pools: OsdMapFacts['pools'] }) {
  const byType = new Map<string, number>();
  for (const { type } of pools) byType.set(type, (byType.get(type) ?? 0) + 1);
  const pgs = pools.reduce((sum, { pgNum }) => sum + pgNum, 0);
  const shards = pools.reduce((sum, { pgNum, size }) => sum + pgNum * size, 0);
  const underway = pools.filter(({ pgNum, pgpNum }) => pgNum !== pgpNum).map(({ name }) => name);
  const list: Fact[] = [
    [
      'pools',
      pools.length === 0 ? (
        'none: nothing is placed'
      ) : (
        <>
          <GoTo view="pools" subjects={{}}>
            {count(pools.length)}
          </GoTo>{' '}
          (
          {[...byType]
            .map(([type, number]) => `${number} ${type === '???' ? 'of unknown type' : type}`)
            .join(', ')}
          )
        </>
      ),
    ],
    ['PGs', count(pgs)],
    ['shards', `${count(shards)} (PGs times size)`],
  ];
  if (underway.length > 0)
    list.push(['pgp_num is not pg_num', `${counted(underway.length, 'pool')}: ${underway.join(', ')}`]);
  return <FactPanel id="pools" title="Pools" facts={list} />;
}

/** Ceph's text of a time, with a space where a narrow page may break it. */
function timeText(time: string): string {
  return time.replace('T', ' ');
}
