import { configDefaults, defineConfig } from 'vitest/config';

/** What promises how fast it is must have the machine to itself. */
const alone = ['test/auth/passwords.test.ts', 'test/local/main.test.ts'];

export default defineConfig({
  test: {
    globalSetup: 'test/harness/assembly.ts',
    // A process of its own for each of 180 files would cost twice the time: what they share is read only, or a table of their own.
    isolate: false,
    // Tests of the templates ask cdk-nag where it is their subject; elsewhere it would cost each synthesis seconds.
    env: { CDK_VALIDATION: 'false' },
    // Safety nets and no promises: a machine may be slow, or busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
