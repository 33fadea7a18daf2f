import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import ProgramsFirst from './harness/programs-first.ts';

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
    include: ['test/**/*.test.ts'],
  },
});
