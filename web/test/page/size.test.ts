import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BUILT } from './page.ts';

/** What the page may weigh in all, packed. */
const LIMIT = 350_000;

describe('the built page', () => {
  it('weighs no more than it may, all views together', async () => {
    const files = await readdir(BUILT, { recursive: true, withFileTypes: true });
    let total = 0;
    for (const file of files) {
      if (file.isFile()) total += gzipSync(await readFile(join(file.parentPath, file.name))).length;
    }
    console.log(`the page: ${total} bytes packed with gzip`);
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
