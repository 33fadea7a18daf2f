import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/harness/assembly.ts',
    // Most of the time tests wait for another process: as many files at a time as two cores have.
    maxWorkers: 2,
    // A process of its own for each of 180 files would cost twice the time: what they share is read only, or a table of their own.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
