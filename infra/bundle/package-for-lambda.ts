import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../project.ts';

const run = promisify(execFile);

/**
 * The folder of a package with native files for Lambda's processor. npm installs such a package only on a machine of the same kind;
 * elsewhere it is installed in a folder of its own, once after each `npm ci`, in the version and with the checksum of
 * `package-lock.json`. `root` is the project's folder.
 * @throws when npm cannot fetch it; the message says what to do.
 */
export async function packageForLambda(name: string, root = projectRoot): Promise<string> {
  const { version, integrity } = await lockedPackage(name, root);
  const cache = join(root, 'node_modules', '.cache', 'for-lambda');
  const ours = join(cache, `${name.replaceAll('/', '+')}@${version}`);
  for (const folder of [root, ours]) {
    const installed = join(folder, 'node_modules', name);
    if ((await versionIn(installed)) === version) {
      return installed;
    }
  }
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  try {
    await install(name, { version, integrity }, draft);
    // Another build may have installed it meanwhile.
    await rename(draft, ours).catch(async (error: unknown) => {
      if ((await versionIn(join(ours, 'node_modules', name))) !== version) {
        throw error;
      }
    });
  } catch (error) {
    throw new Error(
      `${name} ${version}, which functions need on Lambda, cannot be fetched. Run this once with access to the npm registry. npm said:\n${reasonOf(error)}`,
      { cause: error },
    );
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return join(ours, 'node_modules', name);
}

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

async function lockedPackage(name: string, root: string): Promise<Locked> {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked | undefined>;
  };
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) {
    throw new Error(`package-lock.json does not name ${name}, which functions need on Lambda.`);
  }
  if (!locked.integrity) {
    throw new Error(`package-lock.json has no integrity of ${name}, so its bytes could not be checked.`);
  }
  return locked;
}

/** Undefined for a folder without a complete package. */
async function versionIn(folder: string): Promise<string | undefined> {
  try {
    return (JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Locked).version;
  } catch {
    return undefined;
  }
}

/** Installs one package with a lock file of its own: it has the checksum, but not the platforms, for which npm would refuse it. */
async function install(name: string, locked: Locked, folder: string): Promise<void> {
  const dependencies = { [name]: locked.version };
  const { version, integrity } = locked;
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await writeFile(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
  // npm knows the registry, the proxy and the certificates of this machine.
  const command = 'npm ci --prefix . --ignore-scripts --prefer-offline --fetch-retries=0';
  const [file = '', ...rest] = command.split(' ');
  await run(file, rest, { cwd: folder, shell: process.platform === 'win32' });
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const lines = (stderr ?? '').split('\n').filter((line) => /^npm (error|ERR!)/.test(line));
  return lines.length > 0 ? lines.slice(0, 5).join('\n') : message;
}
