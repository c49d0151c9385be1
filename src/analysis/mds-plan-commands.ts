/** A plan of pins as commands for a shell. */
import { noun } from './noun.ts';
import type { PinPlan, PlannedPin } from '../mds/plan.ts';
import type { FileSystemReport } from '../mds/reports.ts';
import { shellWord } from './what-if/shell-words.ts';

/** What commands are made of. */
export interface PlannedCommands {
  readonly plan: PinPlan;
  /** Where the root of the file system is mounted, without a slash at its end. */
  readonly mount: string;
  readonly fileSystem: FileSystemReport | undefined;
}

/** The commands, with the way back as comments: to be read, or piped into `sh`. */
export function* planCommandLines(report: PlannedCommands): Generator<string> {
  const { plan, mount, fileSystem } = report;
  const { pins, ranks, ranksBefore } = plan;
  const count = pins.length;
  const maxMds = `ceph fs set ${shellWord(fileSystem?.name ?? 'FS_NAME')} max_mds ${ranks}`;
  yield `# ${count} static ${noun(count, 'pin')} for ${ranks} ${noun(ranks, 'rank')}`;
  const hold = count === 0 ? undefined : holdCommands(fileSystem);
  if (hold !== undefined) yield `# before: ${hold.stop}   (or the balancer moves other things meanwhile)`;
  if (ranks > ranksBefore) yield `# before: ${maxMds}   (pins to ranks that are not there wait)`;
  for (const pin of inOrder(plan)) yield setCommand(mount, pin.path, pin.rank);
  if (ranks < ranksBefore) yield `# then: ${maxMds}`;
  if (hold !== undefined) yield `# then: ${hold.go}   (${hold.when})`;
  if (count === 0) return;
  yield '# the way back: what is not pinned any more stays where it is until the balancer or another pin moves it';
  for (const pin of inOrder(plan).reverse()) {
    yield `# ${setCommand(mount, pin.path, pin.before)}`;
  }
}

/**
 * Commands that stop the balancer, which would move what the pins do not while they take hold, and let it go on;
 * undefined where it is off.
 */
export function holdCommands(
  fileSystem: FileSystemReport | undefined,
): { readonly stop: string; readonly go: string; readonly when: string } | undefined {
  const when = "when 'get subtrees' shows all where it belongs";
  if (fileSystem?.isBalanced === false) return undefined;
  if (fileSystem?.isBalanced === true) {
    const set = `ceph fs set ${shellWord(fileSystem.name)} balance_automate`;
    return { stop: `${set} false`, go: `${set} true`, when };
  }
  return {
    stop: 'ceph config set mds mds_bal_interval 0',
    go: 'ceph config rm mds mds_bal_interval',
    when: `${when}; or set what it was before`,
  };
}

/** The command that pins a directory, or frees it. */
export function setCommand(mount: string, path: string, rank: number): string {
  return `setfattr -n ceph.dir.pin -v ${rank} ${shellWord(`${mount}${path}`)}`;
}

/** Pins in the order to set them in: what lies in another pinned directory first, so that it does not move twice. */
export function inOrder({ pins }: PinPlan): PlannedPin[] {
  const depth = ({ path }: PlannedPin): number => path.split('/').length;
  return pins.toSorted((a, b) => depth(b) - depth(a));
}
