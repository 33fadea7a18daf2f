// Installs what only tests, benchmarks and checks need into `test/node_modules`, unless what `test/package-lock.json` lists is there already.
// `npm ci` in the project's folder leaves it out: who runs the product does not need it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const lock = join(folder, 'package-lock.json');
/** A copy of the lock file that was installed last. */
const installed = join(folder, 'node_modules/.installed-package-lock.json');

if (!existsSync(installed) || readFileSync(installed, 'utf8') !== readFileSync(lock, 'utf8')) {
  console.log('Installing the packages of the tests in test/node_modules …');
  const { status } = spawnSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
  copyFileSync(lock, installed);
}
