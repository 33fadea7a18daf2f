import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import ProgramsFirst from './test/harness/programs-first.ts';

/** They compare the product's client of the table with the SDK's, which must be unchanged. */
const withUnchangedSdk = 'test/table/client-*.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/harness/scheduling.ts', 'test/harness/assembly.ts'],
    // A process for each file would take twice the time. Files share only what they read, and have their own tables.
    isolate: false,
    sequence: { sequencer: ProgramsFirst },
    // One more than cores: a test that waits for a process, a pause or a time limit leaves its core to another.
    maxWorkers: availableParallelism() + 1,
    env: {
      // Only tests of the templates run cdk-nag; for others it would cost each synthesis seconds.
      CDK_VALIDATION: 'false',
      // The tests pass without a network, too.
      NATIVE_FILES: 'optional',
    },
    // Safety nets, not promises: a machine may be slow or busy.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'product',
          include: ['test/**/*.test.ts'],
          exclude: [withUnchangedSdk],
          execArgv: ['--import', join(import.meta.dirname, 'test/harness/rewritten-calls.ts')],
        },
      },
      { extends: true, test: { name: 'client', include: [withUnchangedSdk] } },
    ],
  },
});
