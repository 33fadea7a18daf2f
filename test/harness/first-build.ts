import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { buildInto } from '../../infra/local/build/builder.ts';
import { claimDataDirectory } from '../../infra/local/data/data-directory.ts';
import { madeOnce } from './assembly.ts';

/**
 * Leaves in a new data directory what the host would build there at its first start, made once for all test files. For tests
 * of what comes afterwards; the first build itself is the subject of `test/local/main.test.ts`. @throws outside a run of the tests.
 */
export async function provideFirstBuild(dataDir: string): Promise<void> {
  const built = await madeOnce('build', 'build.json', (outdir) =>
    buildInto(outdir, { signal: new AbortController().signal, onBuild: () => undefined }),
  );
  const directory = await claimDataDirectory(dataDir, { fresh: false });
  await cp(built, join(directory.path, 'build'), { recursive: true });
  await directory.release();
}
