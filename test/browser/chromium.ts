import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/**
 * A real Chromium, out of an npm package. Undefined on a machine where it cannot start, which is told in one sentence: tests
 * that need it are skipped there. Where the variable `CI` is set they must not be: then it throws.
 */
export async function startChromium(): Promise<Browser | undefined> {
  try {
    return await chromium.launch({ executablePath: await executable(), args: [...flags] });
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    const sentence = `Chromium cannot start on this machine, so tests that need a browser are skipped: ${reason}`;
    if (process.env.CI) {
      throw new Error(sentence, { cause: error });
    }
    console.warn(sentence);
    return undefined;
  }
}

/**
 * Not those that the package recommends: they turn the same-origin policy off, which tests are about, and run everything
 * in one process, which ends with the first page that is closed.
 */
const flags = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
] as const;

const packed = '@sparticuz/chromium';

/**
 * The unpacked program, once for all runs on this machine. It appears under its name when it is whole, so that neither a
 * run beside this one nor one that was killed half way leaves a part of it.
 */
async function executable(): Promise<string> {
  const require = createRequire(import.meta.url);
  const entry = require.resolve(packed);
  const { version } = require(join(dirname(entry), '../package.json')) as { version: string };
  const folder = join(tmpdir(), `switchboard-chromium-${version}`);
  const program = join(folder, 'chromium');
  if (await exists(program)) {
    return program;
  }
  const made = await mkdtemp(`${folder}-`);
  // The package unpacks into the temporary folder of its process.
  const script = `import(${JSON.stringify(pathToFileURL(entry).href)}).then(({ default: one }) => one.executablePath())`;
  await promisify(execFile)(process.execPath, ['-e', script], { env: { ...process.env, TMPDIR: made } });
  await rename(made, folder).catch(() => rm(made, { recursive: true, force: true }));
  return program;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
