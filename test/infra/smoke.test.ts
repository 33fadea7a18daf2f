import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { startServer } from '../../infra/local/listening.ts';
import { type Finding, findingLine, runSmokeChecks } from '../../infra/smoke.ts';
import { setUpLiveHost } from '../live/fixtures.ts';

const host = await setUpLiveHost();

const problemsAt = async (url: string) =>
  (await runSmokeChecks(url)).filter(({ problem }) => problem !== undefined).map(({ problem }) => problem);

test('A deployment that works passes every check, the handshake of the WebSocket among them', async () => {
  const findings = await runSmokeChecks(host.url);

  expect(findings.map(({ problem }) => problem)).toEqual(findings.map(() => undefined));
  expect(findings.at(-1)?.request).toMatch(/^handshake ws:/);
});

test('A deployment that leaves its documentation out says nothing about the WebSocket, unless it is told where that is', async () => {
  const undocumented = await startServer(
    createServer((_, response) => response.writeHead(404).end()),
    0,
  );
  const handshake = (findings: Finding[]) => findings.at(-1);
  try {
    expect(handshake(await runSmokeChecks(undocumented.endpoint))).toMatchObject({
      skippedBecause: expect.stringContaining('SocketUrl'),
      problem: undefined,
    });
    const socket = host.url.replace(/^http/, 'ws');
    expect(handshake(await runSmokeChecks(undocumented.endpoint, `${socket}/socket`))).toEqual({
      request: `handshake ${socket}/socket`,
      shows: 'the WebSocket API refuses a handshake without a token',
      problem: undefined,
    });
    expect(handshake(await runSmokeChecks(undocumented.endpoint, `${socket}/nowhere`))?.problem).toContain(
      'returned 4',
    );
  } finally {
    await undocumented.stop();
  }
});

test('A check that was left out is not reported as passed', () => {
  const finding = { request: 'handshake', shows: 'it refuses', problem: undefined };
  expect(findingLine(finding)).toMatch(/^ok /);
  expect(findingLine({ ...finding, skippedBecause: 'nothing says where' })).toBe(
    'left out  handshake: nothing says where; it refuses',
  );
  expect(findingLine({ ...finding, problem: 'returned 500' })).toBe(
    'WRONG     handshake: returned 500; it refuses',
  );
});

test('A deployment that returns 500 for everything passes no check', async () => {
  const broken = await startServer(
    createServer((_, response) => response.writeHead(500).end()),
    0,
  );
  try {
    expect((await problemsAt(broken.endpoint)).length).toBe((await runSmokeChecks(host.url)).length);
  } finally {
    await broken.stop();
  }
});

test('A deployment that cannot be reached passes no check, and the reason is said', async () => {
  const gone = await startServer(createServer(), 0);
  await gone.stop();

  const problems = await problemsAt(gone.endpoint);
  expect(problems).toHaveLength((await runSmokeChecks(host.url)).length);
  expect(problems.join()).toContain('ECONNREFUSED');
});
