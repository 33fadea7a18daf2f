import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { callUntilAvailable } from './api.ts';
import { ratioBetween, summarize } from './figures.ts';
import { processRow, processTree } from './processes.ts';
import { withSection } from './section.ts';

describe('Figures', () => {
  test('The figures of a race are requests a second, the median and the slowest hundredth', () => {
    const times = Array.from({ length: 100 }, (_, index) => index + 1);
    const figures = { requestsPerSecond: 50, p50: 51, p99: 100, failures: 2 };
    expect(summarize({ times, failures: 2, elapsed: 2_000 })).toEqual(figures);
  });

  test('The figures of a race are not a number where there was no response', () => {
    const { requestsPerSecond, failures } = summarize({ times: [], failures: 3, elapsed: 1_000 });
    expect([requestsPerSecond, failures]).toEqual([Number.NaN, 3]);
  });

  test('The figures of a race are above 1 where Switchboard handles more requests', () => {
    expect(ratioBetween({ requestsPerSecond: 300 }, { requestsPerSecond: 200 })).toBe(1.5);
  });
});

describe('Processes', () => {
  const row = (pid: number, parent: number) => ({ pid, parent, name: '', cpu: 0 });

  test('The processes of a service are read with their processor time, whatever their name', () => {
    const line = `42 (a (strange) name) S 7 42 42 0 -1 4194304 100 0 0 0 25 5 1 2 20 0 11 0 100`;
    expect(processRow(line)).toEqual({ pid: 42, parent: 7, name: 'a (strange) name', cpu: 330 });
  });

  test('The processes of a service are all that one has started, directly or by way of others', () => {
    const rows = [row(9, 3), row(1, 0), row(2, 1), row(3, 2), row(4, 1), row(5, 4)];
    expect(processTree(2, rows).map(({ pid }) => pid)).toEqual([2, 3, 9]);
  });
});

test('A check of what is raced over asks again when whoever asks has read too much, as soon as they may', async () => {
  const statuses = [429, 503, 200];
  const server = createServer((_, response) => {
    response.writeHead(statuses.shift() ?? 500, { 'retry-after': '0' }).end('{"right":true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const body = await callUntilAvailable(`http://127.0.0.1:${port}`, { method: 'GET', path: '/' });
  server.close();

  expect(body).toEqual({ right: true });
});

describe('Sections of files', () => {
  const markers = ['<!-- race: begin -->', '<!-- race: end -->'];

  test('The section of a file takes the place of the former one, and leaves the rest as it is', () => {
    const text = ['# Figures', markers[0], 'old', markers[1], 'rest', ''].join('\n');
    const written = withSection('race', text, 'new\n');
    expect(written).toBe(['# Figures', markers[0], '', 'new', '', markers[1], 'rest', ''].join('\n'));
    expect(withSection('race', written, 'new')).toBe(written);
  });

  test.each([
    ['no marker', ''],
    ['one marker', '<!-- race: begin -->'],
    ['markers in the wrong order', markers.toReversed().join('\n')],
    ['a marker twice', [...markers, ...markers].join('\n')],
  ])('A section is not written into a file with %s', (_, text) => {
    expect(() => withSection('race', text, 'new')).toThrow('must have the lines');
  });
});
