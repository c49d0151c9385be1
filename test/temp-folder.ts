/** Files that a test needs on disk for a while. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** Sets up a folder for the tests of a file; gives a function that writes a file there and says its path. */
export function useTempFolder(): (name: string, content: Uint8Array | string) => string {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'crush-wasm-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  return (name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
}
