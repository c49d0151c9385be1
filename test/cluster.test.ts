/**
 * A real cluster's own answers: every PG's up and acting set as its monitor gave them.
 */
import { describe, expect, it } from 'vitest';
import { readOsdMapBinary } from '../src/formats/osdmap-binary.ts';
import { readReportJson } from '../src/formats/osdmap-json.ts';
import { createMapper, view } from '../src/osdmap/pg-mapper.ts';
import type { OsdMap } from '../src/osdmap/model.ts';
import { fixture, fixtureText } from './fixtures.ts';

function pgMapLines(map: OsdMap): string[] {
  const mapper = createMapper(map);
  const lines: string[] = [];
  for (const columns of mapper.mapAll()) {
    for (let i = 0; i < columns.count; i++) {
      const { pgid, up, acting } = view(columns, i);
      lines.push(`${pgid.pool}.${pgid.ps.toString(16)} up [${up.join()}] acting [${acting.join()}]`);
    }
  }
  return lines;
}

describe('a real cluster of ten OSDs', () => {
  it.each([
    ['a', 'an OSD out'],
    ['b', 'OSDs down'],
    ['c', 'OSDs down and out, reweighted'],
    ['d', 'an OSD removed, affinities'],
  ])('answers as its monitor did: %s (%s)', (name) => {
    const expected = fixtureText(`cluster-10osd/${name}.pg-map.txt`).trimEnd().split('\n');
    expect(expected).toHaveLength(305);
    expect(pgMapLines(readOsdMapBinary(fixture(`cluster-10osd/${name}.osdmap`)))).toEqual(expected);
  });

  it('maps the same from ceph report as from the binary', () => {
    const report: unknown = JSON.parse(fixtureText('cluster-10osd/report.json'));
    const fromReport = pgMapLines(readReportJson(report));
    expect(fromReport).toHaveLength(305);
    expect(fromReport).toEqual(pgMapLines(readOsdMapBinary(fixture('cluster-10osd/report.osdmap'))));
  });
});
