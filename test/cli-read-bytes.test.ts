/** Files and streams of any length, and without end. */
import { closeSync, existsSync, ftruncateSync, openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gatherStream, readFileBytes } from '../src/cli/read-bytes.ts';
import { run } from './run-cli.ts';
import { useTempFolder } from './temp-folder.ts';

const file = useTempFolder();
const LIMIT = 256 << 20;
const COMPLAINT = `has more than ${LIMIT} bytes (256 MiB), the most that is read`;

/** Pieces of a stream, again and again. */
async function* pieces(count: number, size: number): AsyncGenerator<Uint8Array> {
  const piece = Uint8Array.from({ length: size }, (_, i) => i);
  for (let i = 0; i < count; i++) yield await Promise.resolve(piece);
}

describe('streams', () => {
  test.each([
    [0, 1],
    [3, 7],
    [40, 1 << 20], // more than is kept in pieces
    [140, 1 << 20], // more than half of the limit
    [256, 1 << 20],
  ])('%i pieces of %i bytes', async (count, size) => {
    const bytes = await gatherStream(pieces(count, size));
    expect(bytes.length).toBe(count * size);
    for (let at = 0; at < bytes.length; at += 65_521) expect(bytes[at]).toBe((at % size) & 0xff);
  });

  test('without end', async () => {
    await expect(gatherStream(pieces(Infinity, 1 << 20))).rejects.toMatchObject({
      code: 'unsupported',
      message: COMPLAINT,
    });
  });
});

describe('files', () => {
  test('of some size, and empty', async () => {
    expect(await readFileBytes(file('some', 'abc'))).toEqual(new TextEncoder().encode('abc'));
    expect(await readFileBytes(file('empty', ''))).toEqual(new Uint8Array(0));
  });

  test('that are too large are not read', async () => {
    const path = file('large', '');
    const descriptor = openSync(path, 'r+');
    ftruncateSync(descriptor, LIMIT + 1);
    closeSync(descriptor);
    expect(await run(['info', path])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `crush-wasm: ${path}: ${COMPLAINT}\n`,
    });
  });

  test.skipIf(!existsSync('/dev/zero'))('without end', async () => {
    for (const args of [
      ['info', '/dev/zero'],
      ['crushtool', '-i', '/dev/zero', '--test', '--show-mappings', '--num-rep', '1'],
      ['osdmaptool', '/dev/zero', '--print'],
    ]) {
      const { status, stdout, stderr } = await run(args);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`crush-wasm: /dev/zero: ${COMPLAINT}\n`);
    }
  });

  test.skipIf(!existsSync('/proc/self/stat'))('that do not say their size', async () => {
    expect((await readFileBytes('/proc/self/stat')).length).toBeGreaterThan(10);
  });
});
