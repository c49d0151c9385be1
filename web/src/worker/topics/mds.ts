/** CephFS's metadata servers: files of their own, beside the map. The code for them is loaded when it is asked for. */
import type { PlanComparison } from '../../../../src/mds/plan/comparison.ts';
import type { MdsDecision } from './mds/decision.ts';
import type { MdsFiles, MdsGivenFile } from './mds/desk.ts';
import type { MdsPlan, MdsPlanSettings } from './mds/plan.ts';
import type { MdsSettings } from './mds/settings.ts';
import type { MdsDirectoryFacts, MdsTree } from './mds/tree.ts';

const desk = () => import('./mds/desk.ts');

/** Reads files and adds them to those that are there; those that cannot be read are told. */
export async function mdsAdd(files: readonly MdsGivenFile[]): Promise<MdsFiles> {
  return (await desk()).addFiles(files);
}

/** Takes the page's own files in place of those that are there. */
export async function mdsExample(): Promise<MdsFiles> {
  const [{ addFiles, removeAll }, { exampleFiles }] = await Promise.all([desk(), import('./mds/example.ts')]);
  removeAll();
  return addFiles(exampleFiles());
}

/** Says of which rank a file is. */
export async function mdsSetRank(index: number, rank: number): Promise<MdsFiles> {
  return (await desk()).setRank(index, rank);
}

/** Puts a file away. */
export async function mdsRemove(index: number): Promise<MdsFiles> {
  return (await desk()).removeFile(index);
}

/** Puts all files away. */
export async function mdsClear(): Promise<MdsFiles> {
  return (await desk()).removeAll();
}

/** The files as they were given, for another worker. */
export async function mdsGiven(): Promise<readonly MdsGivenFile[]> {
  return (await desk()).givenFiles();
}

/** The directories with their loads. */
export async function mdsTree(settings: MdsSettings): Promise<MdsTree> {
  return (await import('./mds/tree.ts')).mdsTree(settings);
}

/** What the ranks count of one directory. */
export async function mdsDirectory(settings: MdsSettings, path: string): Promise<MdsDirectoryFacts> {
  return (await import('./mds/tree.ts')).mdsDirectory(settings, path);
}

/** What each rank would do. */
export async function mdsDecision(settings: MdsSettings): Promise<MdsDecision> {
  return (await import('./mds/decision.ts')).mdsDecision(settings);
}

/** Pins that even out the load. */
export async function mdsPlan(settings: MdsSettings, wanted: MdsPlanSettings): Promise<MdsPlan> {
  return (await import('./mds/plan.ts')).mdsPlan(settings, wanted);
}

/** What the balancer, and the plan, would come to; takes its time. */
export async function mdsComparison(
  settings: MdsSettings,
  wanted: MdsPlanSettings,
): Promise<PlanComparison | undefined> {
  return (await import('./mds/plan.ts')).mdsComparison(settings, wanted);
}
