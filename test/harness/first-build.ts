import { buildChanges } from '../../infra/local/build/builder.ts';
import { madeOnce } from './assembly.ts';

/**
 * The folder with what a host would build at its first start, made once for all test files. For tests of what comes afterwards; the first
 * build itself is the subject of `test/local/main.test.ts`. @throws outside a run of the tests.
 */
export function firstBuild(): Promise<string> {
  return madeOnce('build', 'build.json', (directory) =>
    buildChanges({ directory, signal: new AbortController().signal, onBuild: () => undefined }),
  );
}
