import { createServer, type IncomingMessage } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBlockedAddress } from '../../infra/local/database/blocked-port.ts';
import { startServer } from '../../infra/local/listening.ts';
import { openBrowser } from './browser.ts';
import { servePages } from './pages.ts';

let browser: Browser | string;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  browser = await openBrowser();
});
beforeEach(({ skip }) => {
  if (typeof browser === 'string') {
    skip(browser);
  }
});
afterAll(async () => {
  for (const stop of stops) {
    await stop();
  }
  if (typeof browser === 'object') {
    await browser.close();
  }
});

/** A server at this address, or at an ordinary one, that lets every page read it; answers what reached it. */
async function listening(address?: { host: string; port: number }) {
  const reached: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    reached.push(request);
    response
      .writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' })
      .end('read');
  });
  const { host = '127.0.0.1', port = 0 } = address ?? {};
  const { endpoint, stop } = await startServer(server, port, { host, publicHost: host });
  stops.push(stop);
  return { endpoint, reached };
}

/** What a page of a foreign origin gets from there, by every way that it has. */
async function tried(endpoint: string): Promise<string[]> {
  if (typeof browser === 'string') {
    throw new Error(browser);
  }
  const { origin, stop } = await servePages();
  stops.push(stop);
  const page = await browser.newPage();
  await page.goto(origin);
  const outcomes = await page.evaluate(async (url) => {
    const read = (init?: RequestInit) =>
      fetch(url, init).then(
        (response) => response.text(),
        () => 'refused',
      );
    const socket = await new Promise<string>((resolve) => {
      try {
        const one = new WebSocket(url.replace('http', 'ws'));
        one.onerror = () => resolve('refused');
      } catch {
        resolve('refused');
      }
    });
    return [
      await read(),
      await read({ method: 'POST', headers: { 'x-amz-target': 'DynamoDB_20120810.Scan' } }),
      await read({ mode: 'no-cors' }),
      socket,
    ];
  }, endpoint);
  // Rules between origins do not stop a page from leading somewhere else.
  outcomes.push(
    await page.goto(endpoint).then(
      () => 'read',
      () => 'refused',
    ),
  );
  await page.close();
  return outcomes;
}

test('A page reaches every server of the machine that its browser runs on', async () => {
  const { endpoint, reached } = await listening();
  expect((await tried(endpoint)).slice(0, 2)).toEqual(['read', 'read']);
  expect(reached.length).toBeGreaterThan(0);
});

test('A page does not reach a server where the database listens, by whatever way', async () => {
  const { endpoint, reached } = await listening(await openBlockedAddress());
  expect(await tried(endpoint)).toEqual(Array.from({ length: 5 }, () => 'refused'));
  expect(reached).toEqual([]);
});
