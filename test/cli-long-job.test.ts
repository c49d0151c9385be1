/** A job maps on its own thread until its workers are there, and leaves the rest to them. */
import { expect, test } from 'vitest';
import { LongJob, type Range, type RangeWorkers } from '../src/cli/long-job.ts';
import type { CommandIo, TextOutput } from '../src/cli/io.ts';

const OUTPUT: TextOutput = { isTerminal: false, columns: 80, write: () => Promise.resolve() };
const IO: CommandIo = {
  stdout: OUTPUT,
  stderr: OUTPUT,
  stdinIsTerminal: true,
  readStdin: () => Promise.resolve(new Uint8Array(0)),
};
const COUNT = 1_000_000;

interface Columns {
  readonly by: 'here' | 'workers';
}

/** A job whose workers start as `start` says, and what was done for it. */
function jobWith(
  start: () => Promise<void>,
  threads: number,
): { job: LongJob<string, Columns>; calls: string[] } {
  const calls: string[] = [];
  const workers: RangeWorkers<string, Columns> = {
    start: () => {
      calls.push('start');
      return start();
    },
    async *chunks(_, { first, count }, chunk) {
      for (let done = 0; done < count; done += chunk) {
        yield await Promise.resolve({
          by: 'workers',
          first: first + done,
          count: Math.min(chunk, count - done),
        });
      }
    },
    close: () => {
      calls.push('close');
      return Promise.resolve();
    },
  };
  const job = new LongJob<string, Columns>(
    {
      here: () => ({ by: 'here' }),
      threads: (n) => {
        calls.push(`threads ${n}`);
        return workers;
      },
    },
    { io: IO, threads, total: COUNT, printsAsItMaps: false },
  );
  return { job, calls };
}

async function ranges(job: LongJob<string, Columns>): Promise<(Range & Columns)[]> {
  const all: (Range & Columns)[] = [];
  for await (const { range, columns } of job.map('', { first: 5, count: COUNT }, 3)) {
    all.push({ first: range.first, count: range.count, by: columns.by });
  }
  return all;
}

test('it goes on here while they start', async () => {
  let turns = 0;
  const { job, calls } = jobWith(async () => {
    for (; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  }, 2);
  expect(calls).toEqual(['threads 2', 'start']);
  const all = await ranges(job);
  await job.end();
  expect(calls).toEqual(['threads 2', 'start', 'close']);
  const here = all.filter(({ by }) => by === 'here').length;
  expect(here).toBeGreaterThan(10);
  expect(here).toBeLessThan(30);
  expect(all.slice(here).every(({ by }) => by === 'workers')).toBe(true);
  expect(all.length).toBeGreaterThan(here);
  let next = 5;
  for (const { first, count } of all) {
    expect(first).toBe(next);
    next += count;
  }
  expect(next).toBe(COUNT + 5);
});

test('it fails when they cannot start', async () => {
  const { job } = jobWith(() => Promise.reject(new Error('no workers here')), 2);
  await expect(ranges(job)).rejects.toThrow('no workers here');
  await job.end();
});

test('one thread needs none', async () => {
  const { job, calls } = jobWith(() => Promise.resolve(), 1);
  expect((await ranges(job)).every(({ by }) => by === 'here')).toBe(true);
  await job.end();
  expect(calls).toEqual([]);
});
