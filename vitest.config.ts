import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/harness/assembly.ts',
    // A process of its own for each of 180 files would cost twice the time: what they share is read only, or a table of their own.
    isolate: false,
    include: ['test/**/*.test.ts'],
    // One more than cores: whoever waits for a process, a pause or a time limit leaves its core to another.
    maxWorkers: availableParallelism() + 1,
    // Tests of the templates ask cdk-nag where it is their subject; elsewhere it would cost each synthesis seconds.
    env: { CDK_VALIDATION: 'false' },
    // Safety nets and no promises: a machine may be slow, or busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
  },
});
