import { defineConfig } from 'vitest/config';

/** The built page in Debian's Chromium: `npm run test:web`. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ['web/test/page/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One browser at a time: what is measured is not to wait for another's page.
    fileParallelism: false,
  },
});
