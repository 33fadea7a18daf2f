import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadOperations, type Registered } from '../../infra/registry.ts';

/** Operations that exist for a test only, by their files; each is JSON, or the source of its module. */
export async function generatedOperations(
  files: Readonly<Record<string, object | string>>,
): Promise<{ registered: Registered[]; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-functions-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    for (const [file, operation] of Object.entries(files)) {
      await mkdir(join(folder, dirname(file)), { recursive: true });
      const source =
        typeof operation === 'string' ? operation : `export default ${JSON.stringify(operation)};`;
      await writeFile(join(folder, file), source);
    }
    return { registered: await loadOperations(folder), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
