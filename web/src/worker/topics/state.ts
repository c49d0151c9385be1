/** What every view has to know of the open document. */
import type { OpenDocument } from '../open-document.ts';
import { toPageError, type PageError } from '../page-error.ts';

/** The open document in short. */
export interface DocumentState {
  readonly name: string;
  readonly kind: 'osdmap' | 'crushmap';
  readonly encoding: 'binary' | 'json' | 'report' | 'text';
  /** Pools and OSD states are made up: the file is a CRUSH map alone. */
  readonly isMadeUp: boolean;
  readonly isChanged: boolean;
  readonly version: number;
  readonly epoch: number;
  readonly osds: number;
  readonly buckets: number;
  readonly notes: readonly string[];
  /** Why nothing can be mapped from it, if so. */
  readonly obstacle: PageError | undefined;
  /** Pools of the current map, in order. */
  readonly pools: readonly PoolState[];
}

/** A pool in short. */
export interface PoolState {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly pgNum: number;
  readonly isErasure: boolean;
}

/** The open document in short, for the page to hold. */
export function documentState(document: OpenDocument): DocumentState {
  const { source, current } = document;
  return {
    name: source.name,
    kind: source.file.kind,
    encoding: source.file.encoding,
    isMadeUp: document.isMadeUp,
    isChanged: document.isChanged,
    version: document.version,
    epoch: current.epoch,
    osds: current.osdState.reduce((count, state) => count + (state & 1), 0),
    buckets: current.crush.buckets.filter((bucket) => bucket !== undefined).length,
    notes: source.notes,
    obstacle: document.obstacle && toPageError(document.obstacle),
    pools: [...current.pools.values()].map(({ id, name, size, pgNum, type }) => ({
      id,
      name,
      size,
      pgNum,
      isErasure: type === 3,
    })),
  };
}
