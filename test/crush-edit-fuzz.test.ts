/**
 * Random sequences of edits, each done by crushtool and by the drop-in on the same file: the same bytes written, the
 * same words, the same exit status after every command.
 *
 * CRUSH_EDIT_SEQUENCES sets how many sequences of 20 commands (default 12), CRUSH_EDIT_SEED the first seed, which is
 * printed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CrushBucket, CrushMap } from '../src/crush/model.ts';
import { readCrushBinary } from '../src/formats/crushmap-binary.ts';
import { crushBytes } from './crush-encode.ts';
import { crushText } from './crush-text.ts';
import { crushtool, HAS_PACIFIC_CRUSHTOOL } from './crushtool.ts';
import { randomEdit } from './random-edits.ts';
import { randomMap } from './random-map.ts';
import { Random } from './random.ts';
import { run, type Outcome } from './run-cli.ts';

const SEQUENCES = Number(process.env.CRUSH_EDIT_SEQUENCES ?? 12);
const FIRST_SEED = Number(process.env.CRUSH_EDIT_SEED ?? 1);
const COMMANDS = 20;

/** Exit status for ERANGE. */
const OUT_OF_RANGE = 256 - 34;

/** Keeps the lines of its log, which come from a thread of their own, out of crushtool's standard error. */
const QUIET = { ...process.env, CEPH_ARGS: '--log-to-stderr=false --err-to-stderr=false' };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe.skipIf(!HAS_PACIFIC_CRUSHTOOL)('edits as crushtool does them', () => {
  test(
    `${SEQUENCES} sequences of ${COMMANDS} commands from seed ${FIRST_SEED}`,
    async () => {
      const counts = { same: 0, crashed: 0, unset: 0, broken: 0 };
      for (let seed = FIRST_SEED; seed < FIRST_SEED + SEQUENCES; seed++) {
        for (const verdict of await compareSequence(seed)) counts[verdict]++;
      }
      console.log(counts);
      expect(counts.same / (SEQUENCES * COMMANDS)).toBeGreaterThan(0.9);
    },
    Math.max(30_000, SEQUENCES * 15_000),
  );
});

/**
 * How a command went: the same in every byte; crushtool died of a signal; its file differs only where it holds what
 * was in memory before; or the edit before has left a map that holds a bucket that is not there, which is refused.
 */
type Verdict = 'same' | 'crashed' | 'unset' | 'broken';

async function compareSequence(seed: number): Promise<Verdict[]> {
  const random = new Random(Math.imul(seed, 7919));
  const file = join(folder, 'map');
  const [theirs, ours] = [join(folder, 'theirs'), join(folder, 'ours')];
  writeStart(seed, file);
  const verdicts: Verdict[] = [];
  for (let step = 0; step < COMMANDS; step++) {
    const edit = randomEdit(readMap(file), random);
    const label = `seed ${seed}, command ${step}: crushtool ${edit.join(' ')}`;
    rmSync(theirs, { force: true });
    rmSync(ours, { force: true });
    const real = spawnSync('crushtool', ['-i', file, ...edit, '-o', theirs], {
      encoding: 'utf8',
      env: QUIET,
      timeout: 60_000,
    });
    const mine = await run(['crushtool', '-i', file, ...edit, '-o', ours, '--as-release', '16']);
    if (real.status === null) {
      verdicts.push('crashed');
      continue;
    }
    if (failsByChance(real, readMap(file))) {
      verdicts.push('unset');
      continue;
    }
    if (lacksBucket(readMap(file))) {
      expect(mine.stderr, label).toMatch(
        /^crush-wasm: there is no bucket -\d+, but something refers to it; /,
      );
      return [...verdicts, 'broken'];
    }
    if (!isSame(mine, ours, real, theirs) && dependsOnMemory(file, edit, real, theirs)) {
      verdicts.push('unset');
      continue;
    }
    expect(mine, label).toEqual(outcome(real));
    expect(existsSync(ours), label).toBe(existsSync(theirs));
    if (!existsSync(ours)) {
      verdicts.push('same');
      continue;
    }
    const bytes = readFileSync(ours);
    if (bytes.equals(readFileSync(theirs))) verdicts.push('same');
    else {
      const [map, expected] = setMemory(readMap(ours), readMap(theirs));
      expect(map, label).toEqual(expected);
      verdicts.push('unset');
    }
    writeFileSync(file, bytes);
  }
  return verdicts;
}

/** Writes the map that a sequence starts from: compiled from text, with classes at times, or in binary at once. */
function writeStart(seed: number, file: string): void {
  if (seed % 2 === 0) {
    writeFileSync(`${file}.txt`, crushText(randomMap(seed, { limits: 'text' })));
    crushtool('-c', `${file}.txt`, '-o', file);
  } else {
    writeFileSync(file, crushBytes(randomMap(seed, { limits: 'binary' })));
  }
}

function readMap(file: string): CrushMap {
  return readCrushBinary(new Uint8Array(readFileSync(file)));
}

/** Whether crushtool may have added to what was in memory before, which it then took for a weight too great. */
function failsByChance({ status }: { readonly status: number | null }, map: CrushMap): boolean {
  return status === OUT_OF_RANGE && map.buckets.some((bucket) => bucket?.alg === 3);
}

/** Whether both ended alike and wrote the same bytes, or nothing. */
function isSame(mine: Outcome, ours: string, real: Outcome, theirs: string): boolean {
  if (mine.status !== real.status || existsSync(ours) !== existsSync(theirs)) return false;
  return !existsSync(ours) || readFileSync(ours).equals(readFileSync(theirs));
}

/** Whether crushtool does something else where the memory that it gets is not empty. */
function dependsOnMemory(file: string, edit: readonly string[], first: Outcome, output: string): boolean {
  const again = `${output}-again`;
  rmSync(again, { force: true });
  const env = { ...QUIET, MALLOC_PERTURB_: '85' };
  const args = ['-i', file, ...edit, '-o', again];
  const second = spawnSync('crushtool', args, { encoding: 'utf8', env, timeout: 60_000 });
  if (second.status !== first.status || existsSync(again) !== existsSync(output)) return true;
  return existsSync(again) && !readFileSync(again).equals(readFileSync(output));
}

/** Whether a bucket holds one that is not there, as may be once a shadow tree was made anew that an edit had moved. */
function lacksBucket({ buckets }: CrushMap): boolean {
  const lacks = (item: number): boolean => item < 0 && buckets[-1 - item] === undefined;
  return buckets.some((bucket) => bucket?.items.some(lacks));
}

function outcome({ status, stdout, stderr }: Outcome): Outcome {
  return { status, stdout, stderr };
}

/**
 * Both maps without what crushtool reads or leaves in memory that is not its own: a tree bucket that lost its last
 * item, the inner nodes of one that grew, and weight-sets where there is a tree bucket, which keeps its size when an
 * item goes while its weight-set shrinks, or where those of a shadow tree have not all the same number of positions.
 */
function setMemory(ours: CrushMap, theirs: CrushMap): CrushMap[] {
  const isTree = ours.buckets.map((bucket) => bucket?.alg === 3);
  const emptied = ours.buckets.map((bucket, index) => isTree[index] === true && bucket?.items.length === 0);
  const sets = [...ours.chooseArgs.values()].map((args) =>
    [...args.values()].map((arg) => arg.weightSet?.length),
  );
  const isMixed = isTree.includes(true) || sets.some((positions) => new Set(positions).size > 1);
  return [ours, theirs].map((map) => ({
    ...map,
    maxDevices: emptied.includes(true) ? 0 : map.maxDevices,
    buckets: map.buckets.map((bucket, index) => {
      if (emptied[index] === true) return undefined;
      return bucket?.alg === 3 ? withoutInnerNodes(bucket) : bucket;
    }),
    chooseArgs: isMixed ? new Map() : map.chooseArgs,
  }));
}

function withoutInnerNodes(bucket: CrushBucket & { readonly alg: 3 }): CrushBucket {
  const isLeaf = (node: number): boolean => node % 2 === 1 && node < 2 * bucket.items.length;
  return { ...bucket, nodeWeights: bucket.nodeWeights.map((weight, node) => (isLeaf(node) ? weight : 0)) };
}
