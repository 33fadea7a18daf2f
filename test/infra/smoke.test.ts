import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { startHost } from '../../infra/local/host.ts';
import { startServer } from '../../infra/local/listening.ts';
import { smoke } from '../../infra/smoke.ts';
import { assembly } from '../harness/assembly.ts';

const host = await startHost({ assembly: await assembly(), port: 0 });
afterAll(() => host.stop());

const problemsAt = async (url: string) =>
  (await smoke(url)).filter(({ problem }) => problem !== undefined).map(({ problem }) => problem);

test('A deployment that works passes every check, the handshake of the WebSocket among them', async () => {
  const findings = await smoke(host.url);

  expect(findings.map(({ problem }) => problem)).toEqual(findings.map(() => undefined));
  expect(findings.at(-1)?.request).toMatch(/^handshake ws:/);
});

test('A deployment that answers everything with 500 passes no check', async () => {
  const broken = await startServer(
    createServer((_, response) => response.writeHead(500).end()),
    0,
  );
  try {
    expect((await problemsAt(broken.endpoint)).length).toBe((await smoke(host.url)).length);
  } finally {
    await broken.stop();
  }
});

test('A deployment that cannot be reached passes no check, and the reason is said', async () => {
  const gone = await startServer(createServer(), 0);
  await gone.stop();

  const problems = await problemsAt(gone.endpoint);
  expect(problems).toHaveLength((await smoke(host.url)).length);
  expect(problems.join()).toContain('ECONNREFUSED');
});
