/**
 * Where tests find files: the project's own fixtures, and the wider corpus that the environment variable
 * CRUSH_CORPUS names (tests that need it are skipped by name without).
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join, resolve } from 'node:path';

/** The folder of the project's own fixtures. */
export const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** The wider corpus's folder, or undefined. */
export const CORPUS: string | undefined =
  process.env.CRUSH_CORPUS !== undefined && existsSync(process.env.CRUSH_CORPUS)
    ? resolve(process.env.CRUSH_CORPUS)
    : undefined;

/** Bytes of a fixture. */
export function fixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(join(FIXTURES, name)));
}

/** Text of a fixture. */
export function fixtureText(name: string): string {
  return readFileSync(join(FIXTURES, name), 'utf8');
}

/** Path of a file of the corpus; only for tests that are skipped without it. */
export function corpus(...parts: string[]): string {
  if (CORPUS === undefined) throw new Error('CRUSH_CORPUS is not set');
  return join(CORPUS, ...parts);
}
