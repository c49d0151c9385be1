/** What is to be planned, and the worker that simulates beside the page's first. */
import { signal } from '@preact/signals';
import { wrap } from 'comlink';
import { startThread, worker } from '../../app/worker-client.ts';
import type { PageApi } from '../../worker/api.ts';
import type { PlanComparison } from '../../../../src/mds/plan/comparison.ts';
import type { MdsPlanSettings } from '../../worker/topics/mds/plan.ts';
import type { MdsSettings } from '../../worker/topics/mds/settings.ts';

/** The plan's settings; the same as the command's usual ones. */
export const planSettings = signal<MdsPlanSettings>({
  ranks: undefined,
  tolerance: 0.1,
  maxPins: 64,
  repin: false,
  mount: '/mnt/cephfs',
});

let thread: Worker | undefined;

/**
 * Simulates a plan and the balancer, in a worker of its own: it may take long. One that is at work is stopped; its answer
 * never comes.
 */
export async function simulatePlan(
  settings: MdsSettings,
  wanted: MdsPlanSettings,
): Promise<PlanComparison | undefined> {
  stopSimulation();
  const mine = (thread = startThread('mds-simulation'));
  try {
    const api = wrap<PageApi>(mine);
    await api.mdsAdd(await worker.mdsGiven());
    return await api.mdsComparison(settings, wanted);
  } finally {
    mine.terminate();
    if (thread === mine) thread = undefined;
  }
}

/** Stops what is at work. */
export function stopSimulation(): void {
  thread?.terminate();
  thread = undefined;
}
