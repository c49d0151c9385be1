/** What the current map is, in facts. */
import { type CrcState, mapFacts, type MapFacts } from '../../../../src/analysis/map-facts.ts';
import type { CrushTunables } from '../../../../src/crush/model.ts';
import { profileTunables } from '../../../../src/crush/tunables.ts';
import type { OsdMap } from '../../../../src/osdmap/model.ts';
import type { OpenDocument } from '../open-document.ts';

/** The facts of `crush-wasm info`, and what the page shows beyond them. */
export interface Summary {
  readonly facts: MapFacts;
  readonly tunables: readonly TunableFact[];
  /** Shares of capacity at which OSDs are nearly full, too full to be backfilled to, and full; none for CRUSH maps. */
  readonly ratios:
    { readonly nearfull: number; readonly backfillfull: number; readonly full: number } | undefined;
}

/** A tunable. */
export interface TunableFact {
  /** As the text form of maps has it. */
  readonly name: string;
  readonly value: number;
  /** What current clusters have, where that is something else and placement depends on it or could. */
  readonly usual: number | undefined;
}

/** The facts of the current map. The checksum is that of the file, whatever has been changed since. */
export function summary(document: OpenDocument): Summary {
  const { source, current } = document;
  const { file } = source;
  const facts =
    file.kind === 'crushmap'
      ? mapFacts({ ...file, map: current.crush }, 'none')
      : mapFacts({ ...file, map: current }, crcState(current, source.isCrcWrong === true));
  return {
    facts: isReal(document) ? facts : { ...facts, encoding: 'none: the map is made up by this page' },
    tunables: tunableFacts(current.crush.tunables),
    ratios: file.kind === 'crushmap' ? undefined : ratiosOf(current),
  };
}

/** Whether the map comes from a file: the large example does not. */
function isReal({ source, current }: OpenDocument): boolean {
  return (
    source.file.kind === 'crushmap' || source.file.encoding !== 'binary' || current.details.clientVersion > 0
  );
}

function crcState({ details }: OsdMap, isWrong: boolean): CrcState {
  if (isWrong) return 'wrong';
  return details.crc === undefined ? 'none' : 'ok';
}

function tunableFacts(tunables: CrushTunables): TunableFact[] {
  const usual: Partial<CrushTunables> = profileTunables('optimal');
  return (Object.keys(tunables) as (keyof CrushTunables)[]).map((key) => ({
    name: key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value: tunables[key],
    usual: usual[key] === tunables[key] ? undefined : usual[key],
  }));
}

/** Rounded to what is shown: they are stored as 32-bit floating point numbers. */
function ratiosOf({ details }: OsdMap): Summary['ratios'] {
  const rounded = (ratio: number) => Math.round(ratio * 1e4) / 1e4;
  return {
    nearfull: rounded(details.nearfullRatio),
    backfillfull: rounded(details.backfillfullRatio),
    full: rounded(details.fullRatio),
  };
}
