import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as playwright } from 'playwright-core';
import { lastingFolder } from '../harness/assembly.ts';
import { timeout } from '../harness/eventually.ts';
import packageJson from '../package.json' with { type: 'json' };

/** A real Chromium, or one sentence that says why there is none. With `CI=true` there must be one. */
export async function openBrowser(): Promise<Browser | string> {
  try {
    return await playwright.launch({
      executablePath: await program(),
      timeout,
      // Not the arguments that the package proposes: they switch off the rules between origins, and put every page into one process.
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        // No page lives long enough here to earn what optimizing its scripts costs.
        '--js-flags=--no-opt',
      ],
    });
  } catch (error) {
    if (process.env.CI === 'true') {
      throw error;
    }
    const [reason] = (error as Error).message.split('\n');
    return `Chromium does not start on this machine: ${reason}`;
  }
}

/** Where Chromium lies. It is unpacked once for all runs, into a folder that appears when it is whole. */
async function program(): Promise<string> {
  const folder = join(
    lastingFolder(),
    `switchboard-chromium-${packageJson.devDependencies['@sparticuz/chromium']}`,
  );
  if (!existsSync(folder)) {
    const draft = await mkdtemp(`${folder}-`);
    const { TMPDIR } = process.env;
    process.env.TMPDIR = draft; // The package unpacks into the folder for temporary files.
    try {
      await chromium.executablePath();
    } finally {
      if (TMPDIR === undefined) {
        delete process.env.TMPDIR;
      } else {
        process.env.TMPDIR = TMPDIR;
      }
    }
    // Another run may have been faster.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true }));
  }
  return join(folder, 'chromium');
}
