import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'web/test/**/*.test.ts'],
    // The built page in a browser: web/vitest.config.ts.
    exclude: ['web/test/page/**', 'node_modules'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // All cores: the tests mostly wait for processes that they start.
    maxWorkers: '100%',
  },
});
