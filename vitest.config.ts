import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // All cores: the tests mostly wait for processes that they start.
    maxWorkers: '100%',
  },
});
