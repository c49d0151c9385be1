import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BUILT } from './page.ts';

/** What the page may weigh in all, packed, without its examples. */
const LIMIT = 350_000;
/** Chunks of the two examples that have data: a map, and what metadata servers print. */
const EXAMPLE = /^examples?-[\w-]+\.js$/;

describe('the built page', () => {
  it('weighs no more than it may, all views together', async () => {
    const files = await readdir(BUILT, { recursive: true, withFileTypes: true });
    let total = 0;
    const examples: number[] = [];
    for (const file of files) {
      if (!file.isFile()) continue;
      const size = gzipSync(await readFile(join(file.parentPath, file.name))).length;
      if (EXAMPLE.test(file.name)) examples.push(size);
      else total += size;
    }
    console.log(`the page: ${total} bytes packed with gzip, and ${examples.join(' and ')} of examples`);
    // Were they in other chunks, they would be counted.
    expect(examples.length).toBe(2);
    expect(total).toBeGreaterThan(100_000);
    expect(total).toBeLessThan(LIMIT);
  });

  it('names no other place in what it loads', async () => {
    const html = await readFile(join(BUILT, 'index.html'), 'utf8');
    const links = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link]) => link);
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) expect(link).toMatch(/^\.\//);
    expect(html).toContain('connect-src &#39;none&#39;');
  });
});
