import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { timeout } from '../harness/eventually.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import type { LiveHost } from '../live/live-host.ts';
import { openBrowser } from './browser.ts';
import { type Pages, servePages } from './pages.ts';

/** A host, a page of another origin with this module, and a browser that begins anew for each test; tests without a browser are skipped. */
export async function setUpBrowserTests(moduleFor: (host: LiveHost) => string = () => '') {
  const [host, browser] = await Promise.all([setUpLiveHost(), openBrowser()]);
  const pages: Pages = await servePages(moduleFor(host));
  let context: BrowserContext | undefined;
  beforeEach(async ({ skip }) => {
    if (typeof browser === 'string') {
      return skip(browser);
    }
    context = await browser.newContext();
    context.setDefaultTimeout(timeout);
  });
  afterEach(() => context?.close());
  afterAll(async () => {
    if (typeof browser === 'object') {
      await browser.close();
    }
    await pages.stop();
  });
  return { host, pages, newPage: () => (context as BrowserContext).newPage() };
}
