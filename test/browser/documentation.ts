import { randomUUID } from 'node:crypto';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { timeout } from '../harness/eventually.ts';
import { setUpLiveHost } from '../live/fixtures.ts';
import { openBrowser } from './browser.ts';
import { excerptAround } from './excerpt.ts';

/** The documentation page as a person uses it. */
export interface Documentation {
  readonly page: Page;
  /** Complaints of the browser: errors, violations of the policy, requests to other origins, failed requests. */
  readonly problems: readonly string[];
  /** The paths that the browser asked for, each as often as it did. */
  readonly requests: readonly string[];
  /** Waits until the bar on top says this of who is logged in. */
  told(text: string): Promise<void>;
  /** An operation by its name, opened with its tag. */
  open(tag: string, name: string): Promise<Locator>;
  /** Presses "Try it out" and "Execute" in an open operation; the status of the answer. */
  execute(operation: Locator, body?: unknown): Promise<string>;
  logIn(email: string, password: string): Promise<string>;
  /** Reloads, and waits for the operations. */
  reload(): Promise<void>;
  /** Pixels by which the page is wider than the screen. */
  overhang(): Promise<number>;
}

export const password = 'correct horse battery';

/** Waits until what is read is what is expected, however slow the machine. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout });

/**
 * For the tests of one file: a browser, the product on the local host, and in it one account, Ada's. The page shows these operations
 * alone; unless they are stated, all of them.
 */
export async function documentationTests({ operations }: { operations?: readonly string[] } = {}) {
  const email = `${randomUUID()}@example.com`;
  const [host, browser] = await Promise.all([setUpLiveHost(), openBrowser()]);
  let opened: BrowserContext[] = [];
  let tab: Page | undefined;
  let excerpt: object | undefined;
  beforeAll(async () => {
    const ada = { email, password, firstName: 'Ada', lastName: 'Admin', role: 'ADMIN' };
    await host.call('POST /api/auth/register', undefined, ada);
    excerpt = operations && excerptAround(await host.call('GET /api/openapi.json'), operations);
  });
  beforeEach(({ skip }) => {
    if (typeof browser === 'string') {
      skip(browser);
    }
  });
  afterEach(async () => {
    await Promise.all(opened.map((context) => context.close()));
    opened = [];
    tab?.removeAllListeners();
  });
  afterAll(async () => {
    if (typeof browser === 'object') {
      await browser.close();
    }
  });
  async function newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    if (typeof browser === 'string') {
      throw new Error(browser);
    }
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(timeout);
    if (excerpt !== undefined) {
      await context.route(`${host.url}/api/openapi.json`, (route) => route.fulfill({ json: excerpt }));
    }
    return context;
  }
  return {
    email,
    host,
    /** Opens the page in a browser that has never seen it. */
    async visit({ at, ...options }: VisitOptions = {}): Promise<Documentation> {
      const context = await newContext(options);
      opened.push(context);
      return openDocumentation(await context.newPage(), host.url, at);
    },
    /**
     * Opens the page in the one tab of all such visits, which spares the browser to begin anew. Of the session that an earlier
     * visit kept there is this, or nothing.
     */
    async visitAgain(session?: string): Promise<Documentation> {
      tab ??= await (await newContext()).newPage();
      // Something small of the same origin, where nobody else reads or writes what is kept.
      await tab.goto(`${host.url}/api/health`);
      await tab.evaluate((text) => {
        localStorage.clear();
        sessionStorage.clear();
        if (text !== undefined) {
          sessionStorage.setItem('switchboard.session', text);
        }
      }, session);
      return openDocumentation(tab, host.url);
    },
  };
}

type VisitOptions = BrowserContextOptions & {
  /** The part of the address after the origin; that of the page unless stated. */
  readonly at?: string | undefined;
};

async function openDocumentation(page: Page, origin: string, at = '/api/docs'): Promise<Documentation> {
  const problems = listenTo(page, origin);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.goto(`${origin}${at}`);
  await page.locator('.opblock-tag').first().waitFor();

  const execute: Documentation['execute'] = async (operation, body) => {
    await operation.getByRole('button', { name: 'Try it out' }).click();
    if (body !== undefined) {
      await operation.locator('textarea.body-param__text').fill(JSON.stringify(body, null, 2));
    }
    await operation.getByRole('button', { name: 'Execute' }).click();
    const status = operation.locator('.live-responses-table tbody .response-col_status').first();
    return ((await status.textContent()) ?? '').trim();
  };
  const open: Documentation['open'] = async (tag, name) => {
    const header = page.locator(`.opblock-tag[data-tag="${tag}"]`);
    if ((await header.getAttribute('data-is-open')) === 'false') {
      await header.click();
    }
    const operation = page.locator(`[id="operations-${tag.replaceAll(' ', '_')}-${name}"]`);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).waitFor();
    return operation;
  };
  return {
    page,
    problems,
    requests,
    told: (text) => eventually(() => page.getByRole('status').textContent()).toBe(text),
    open,
    execute,
    logIn: async (email, password) => execute(await open('Auth', 'login'), { email, password }),
    async reload() {
      await page.reload();
      await page.locator('.opblock-tag').first().waitFor();
    },
    overhang: () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  };
}

function listenTo(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      problems.push(message.text());
    }
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => problems.push(`${request.url()} failed`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) {
      problems.push(`${request.url()} is of another origin`);
    }
  });
  return problems;
}
