/** How the balancer is to be reckoned with, as the page says it. */
import { readMdsOptions, type MdsOptions } from '../../../../../src/mds/options.ts';

/** Settings of all that is told of metadata servers; those of `crush-wasm mds decide`. */
export interface MdsSettings {
  /** Options of the balancer as `name=value`; Ceph's defaults for others. */
  readonly options: readonly string[];
  /** Odd and even beats match ranks in different orders. */
  readonly beat: 'even' | 'odd';
  /** Beats for which ranks have been overloaded; undefined: as long as it takes. */
  readonly overloadedFor: number | undefined;
  /** Whether counters are scaled so that their sum is that of the last heartbeat. */
  readonly scaleToBeat: boolean;
  /** The file system to take of `ceph fs dump`; undefined: its first. */
  readonly fileSystem: string | undefined;
}

/**
 * The options of some settings.
 *
 * @throws CrushError `bad-argument` for a name that is not known or a value that does not fit
 */
export function optionsOf({ options }: MdsSettings): MdsOptions {
  return readMdsOptions(options);
}
