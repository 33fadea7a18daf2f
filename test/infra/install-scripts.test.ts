import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';

/** The packages that want to run a program when they are installed, and why none of them may. */
const reasons: Record<string, string> = {
  '@scarf/scarf': 'tells its maker who installs what (a dependency of swagger-ui-dist)',
  esbuild:
    'looks whether the binary for this machine is there, which npm has installed as an optional dependency',
};

const read = (file: string) => readFile(join(projectRoot, file), 'utf8');

test('No package runs a program when it is installed, with the npm of any Node.js', async () => {
  for (const file of ['.npmrc', 'test/.npmrc']) {
    expect((await read(file)).split('\n')).toContain('ignore-scripts=true');
  }
});

test('Every package that wants to run a program when it is installed is known, with the reason why it need not', async () => {
  const locks = await Promise.all(['package-lock.json', 'test/package-lock.json'].map(read));
  const wanting = locks
    .flatMap((lock) => Object.entries<{ hasInstallScript?: boolean }>(JSON.parse(lock).packages))
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  expect([...new Set(wanting)].sort()).toEqual(Object.keys(reasons).sort());
});

test('An npm that asks which packages may run programs is told none', async () => {
  const { allowScripts } = JSON.parse(await read('package.json'));
  expect(allowScripts).toEqual(Object.fromEntries(Object.keys(reasons).map((name) => [name, false])));
});
