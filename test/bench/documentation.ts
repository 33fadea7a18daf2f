import type { Browser, BrowserContext } from 'playwright-core';
import { openBrowser } from '../browser/browser.ts';
import prepareAssembly from '../harness/assembly.ts';
import { startLiveHost } from '../live/live-host.ts';
import { budgets, type Verdict } from './budgets.ts';
import { median } from './figures.ts';
import { figure, textTable } from './table.ts';

/** Visits of each kind. */
const visits = 5;

interface Visit {
  /** Milliseconds from the start of the navigation to the frame that shows the first operation. */
  readonly shown: number;
  /** Bytes on the network: headers and compressed bodies. */
  readonly bytes: number;
}

export interface MeasuredVisits {
  readonly kind: string;
  readonly visits: readonly Visit[];
}

/** Opens the documentation on the local host in a real browser. @returns a sentence that says so where there is none. */
export async function measureDocumentation(): Promise<readonly MeasuredVisits[] | string> {
  const browser = await openBrowser();
  if (typeof browser === 'string') {
    return browser;
  }
  const removeAssembly = await prepareAssembly();
  const host = await startLiveHost();
  try {
    // The page is measured, not the start of the functions.
    await visitIn(await browser.newContext(), host.url);
    return [
      { kind: 'that has never seen it', visits: await coldVisits(browser, host.url) },
      { kind: 'that has it', visits: await warmVisits(browser, host.url) },
    ];
  } finally {
    await browser.close();
    await host.stop();
    await removeAssembly();
  }
}

async function coldVisits(browser: Browser, url: string): Promise<Visit[]> {
  const measured: Visit[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    const context = await browser.newContext();
    measured.push(await visitIn(context, url));
    await context.close();
  }
  return measured;
}

async function warmVisits(browser: Browser, url: string): Promise<Visit[]> {
  const context = await browser.newContext();
  await visitIn(context, url);
  const measured: Visit[] = [];
  for (let visit = 0; visit < visits; visit += 1) {
    measured.push(await visitIn(context, url));
  }
  await context.close();
  return measured;
}

async function visitIn(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const shown = Promise.withResolvers<number>();
    Object.assign(globalThis, { shown: shown.promise });
    new MutationObserver((_, observer) => {
      if (document.querySelector('.opblock') !== null) {
        observer.disconnect();
        // A second frame begins once the first one is painted.
        requestAnimationFrame(() => requestAnimationFrame(() => shown.resolve(performance.now())));
      }
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${url}/api/docs`, { waitUntil: 'commit' });
  const visit = await page.evaluate(async () => {
    const shown = await (globalThis as unknown as { shown: Promise<number> }).shown;
    const entries = [
      ...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource'),
    ] as PerformanceResourceTiming[];
    return { shown, bytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0) };
  });
  await page.close();
  return visit;
}

export function documentationTable(measured: readonly MeasuredVisits[]): string {
  return textTable(
    ['a browser', 'first operation after ms (median)', 'slowest', 'KB'],
    measured.map(({ kind, visits }) => [
      kind,
      figure(median(visits.map(({ shown }) => shown))),
      figure(Math.max(...visits.map(({ shown }) => shown))),
      figure(Math.max(...visits.map(({ bytes }) => bytes)) / 1_000, 1),
    ]),
  );
}

export function documentationVerdicts([cold]: readonly MeasuredVisits[]): Verdict[] {
  const seconds = median((cold?.visits ?? []).map(({ shown }) => shown)) / 1_000;
  return [
    {
      promise: `documentation: the first operation within ${budgets.documentation.seconds} s of a cold load`,
      measured: `${figure(seconds, 2)} s`,
      kept: seconds <= budgets.documentation.seconds,
    },
  ];
}
