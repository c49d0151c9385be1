/**
 * crush-wasm/mds: CephFS's metadata balancer. What each rank of a file system's metadata servers would send to which
 * other, computed from what the ranks' own commands print.
 *
 * @example
 * ```ts
 * import { decideCluster, DEFAULT_MDS_OPTIONS, readMdsJson } from 'crush-wasm/mds';
 *
 * const document = readMdsJson(text); // of `ceph tell mds.0 dump loads`
 * if (document.kind === 'loads') {
 *   const reports = new Map([[0, { loads: document.loads }]]);
 *   const { ranks } = decideCluster(reports, undefined, { options: DEFAULT_MDS_OPTIONS, beat: 2, scaleToBeat: true });
 *   console.log(ranks[0]?.decision.verdict);
 * }
 * ```
 *
 * @module crush-wasm/mds
 */
export { type CrushErrno, CrushError, type CrushErrorCode, type ErrorPlace } from './errors.ts';

export { type MdsDocument, readMdsJson } from './formats/mds-json.ts';
export * from './mds/reports.ts';
export { DEFAULT_MDS_OPTIONS, type MdsOptions, readMdsOptions } from './mds/options.ts';

export {
  type ClusterDecision,
  decideCluster,
  type DecideSettings,
  type RankDecision,
  type RankReport,
} from './mds/decide.ts';
export {
  type BeatDecision,
  type BeatVerdict,
  type BeatView,
  type LoadMatch,
  prepRebalance,
} from './mds/prep-rebalance.ts';
export {
  type AmountSkip,
  type ImportChoice,
  MIN_OFFLOAD,
  MIN_REEXPORT,
  type OwnSubtree,
  type Rebalance,
  type Shipment,
  type SubtreeSkip,
  tryRebalance,
} from './mds/try-rebalance.ts';
export { exportSubtrees, type ExportTreeInput, type ReportedSubtree } from './mds/export-tree.ts';
export * from './mds/find-exports.ts';

export * from './mds/load.ts';
export * from './mds/decay-counter.ts';
export * from './mds/popularity.ts';
export * from './mds/heartbeat.ts';
export { MAX_MDS, type RankMask, readRankMask } from './mds/rank-mask.ts';
export * from './mds/pins.ts';
export { distributedFragmentBits, hashIntoRankBucket } from './mds/ephemeral-pins.ts';

export {
  type BeatRecord,
  type ChosenExport,
  type DroppedExport,
  type Fragmentation,
  type HitOrder,
  MAX_BEATS,
  type Migration,
  type MigrationCause,
  type MigrationTimes,
  type PingPong,
  type RankBackground,
  type RankBeat,
  type RankLoad,
  type ReportSettings,
  RETURN_BEATS,
  simulate,
  type SimulationInput,
  type SimulationResult,
  type Workload,
  workloadFromReports,
  type WorkloadLoad,
  type WorkloadPin,
  type WorkloadSubtree,
  type WorkloadTree,
} from './mds/simulate.ts';
export { type SimulationSummary, summarize } from './mds/simulate/summary.ts';
export { buildWorkload, type BuildSettings } from './mds/simulate/build-workload.ts';
export {
  describeWorkload,
  type GenerateSettings,
  WORKLOAD_KINDS,
  type WorkloadKind,
} from './mds/simulate/generate.ts';
export { type Operation, type OperationName, OPERATIONS } from './mds/simulate/operations.ts';
export type {
  DirectoryDescription,
  LoadDescription,
  WorkloadDescription,
} from './mds/simulate/workload-description.ts';
export { isWorkloadJson, readWorkloadJson, writeWorkloadJson } from './formats/mds-workload-json.ts';

export * from './mds/plan.ts';
export * from './mds/plan/comparison.ts';
export { readPlanPins } from './formats/mds-plan-json.ts';
