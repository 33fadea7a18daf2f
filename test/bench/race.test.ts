import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { callUntilAvailable } from './api.ts';
import { joined, ratioOf, summaryOf } from './figures.ts';
import { flameOf } from './layers/layers.ts';
import type { Frame } from './layers/profile.ts';
import { processRow, treeOf } from './processes.ts';
import { boardTruth, differences } from './race/expected-boards.ts';
import { withSection } from './section.ts';

describe('Figures', () => {
  test('The figures of a race are requests a second, the median and the slowest hundredth, over all parts of a measurement', () => {
    const times = Array.from({ length: 50 }, (_, index) => index + 1);
    const whole = joined([
      { times, failures: 0, elapsed: 500 },
      { times: times.map((time) => time + 50), failures: 2, elapsed: 1_500 },
    ]);
    expect(summaryOf(whole)).toEqual({ requestsPerSecond: 50, p50: 51, p99: 100, failures: 2 });
  });

  test('The figures of a race are not a number where there was no response', () => {
    const { requestsPerSecond, failures } = summaryOf({ times: [], failures: 3, elapsed: 1_000 });
    expect([requestsPerSecond, failures]).toEqual([Number.NaN, 3]);
  });

  test('The figures of a race are above 1 where Switchboard handles more requests', () => {
    expect(ratioOf({ requestsPerSecond: 300 }, { requestsPerSecond: 200 })).toBe(1.5);
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
    expect(treeOf(2, rows).map(({ pid }) => pid)).toEqual([2, 3, 9]);
  });
});

describe('Checks of boards', () => {
  const stages = [
    { _id: 'a', name: 'New' },
    { _id: 'b', name: 'Won' },
  ];
  const contact = (_id: string, stageId: string, firstName: string, value: string) =>
    ({ _id, stageId, firstName, lastName: 'Ω', phoneNumbers: [{ value }] }) as never;
  const contacts = [contact('2', 'a', 'Zoë', '+4912'), contact('1', 'a', 'Ada', '+4934')];
  const answer = (total: number, ids: string[]) => ({
    data: {
      New: { total, contacts: ids.map((_id) => ({ _id })) },
      Won: { total: 0, contacts: [] },
    },
  });

  test('A board that is checked is right with the true totals and contacts, for the whole board and for a search', () => {
    expect(differences(answer(2, ['2', '1']), boardTruth(stages, contacts))).toEqual([]);
    expect(differences(answer(1, ['2']), boardTruth(stages, contacts, 'ZOË ω'))).toEqual([]);
    expect(differences(answer(1, ['1']), boardTruth(stages, contacts, '34'))).toEqual([]);
  });

  test('A board that is checked is wrong with another total, other contacts, another order or another column', () => {
    const truth = boardTruth(stages, contacts);
    expect(differences(answer(3, ['2', '1']), truth)).toEqual(['New has a total of 3 instead of 2']);
    expect(differences(answer(2, ['1', '2']), truth)).toEqual(['New shows other contacts on its first page']);
    expect(differences({ data: {} }, truth)).toEqual(['the columns are  instead of New, Won']);
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

describe('Layers', () => {
  const frame = (functionName: string, url = ''): Frame => ({
    functionName,
    url,
    lineNumber: 0,
    columnNumber: 0,
  });
  /** One stack for each sample, from the outermost frame on, of 1 ms each. */
  const thread = (isMain: boolean, stacks: readonly Frame[][]) => {
    const nodes = stacks.flatMap((stack, at) =>
      stack.map((callFrame, depth) => ({
        id: at * 10 + depth,
        callFrame,
        children: depth + 1 < stack.length ? [at * 10 + depth + 1] : [],
      })),
    );
    const samples = stacks.map((stack, at) => at * 10 + stack.length - 1);
    return { isMain, profile: { nodes, samples, timeDeltas: [0, ...samples.map(() => 1_000)] } };
  };
  const layersOf = (isMain: boolean, ...stacks: Frame[][]) =>
    Object.fromEntries(flameOf([thread(isMain, stacks)], ({ url }) => url).byLayer);

  test('The layers of a profile count native code to the innermost file that has a layer, and leave out idle time', () => {
    const kernel = frame('run', 'shared/kernel/serve/serve-http.ts');
    const client = frame('send', 'node_modules/@smithy/core/index.js');
    expect(
      layersOf(
        false,
        [kernel, client, frame('stringify')],
        [kernel, frame('stringify')],
        [kernel, client, frame('write', 'node:net')],
        [frame('(idle)')],
        [frame('(garbage collector)')],
        [frame('unknown', 'node:internal/process/task_queues')],
      ),
    ).toEqual({ client: 1, kernel: 1, nodeHttp: 1, garbage: 1, others: 1 });
  });

  test('The layers of a profile are those of the local host in the main thread: who reads streams, and all the rest', () => {
    expect(
      layersOf(
        true,
        [
          frame('read', 'infra/local/stream/stream-source.ts'),
          frame('send', 'node_modules/@smithy/core/index.js'),
        ],
        [frame('invoke', 'infra/local/workers/functions.ts')],
        [frame('onread', 'node:net')],
        [frame('(garbage collector)')],
      ),
    ).toEqual({ streams: 1, gateway: 3 });
  });

  test('The layers of a profile name the functions that took the most time first', () => {
    const rule = frame('plan', 'functions/contacts/model/board.ts');
    const { functions } = flameOf(
      [thread(false, [[frame('parse', 'node_modules/zod/v4/x.js')], [rule], [rule]])],
      ({ url }) => url,
    );
    expect(functions).toEqual([
      ['rules | plan functions/contacts/model/board.ts', 2],
      ['zod | parse node_modules/zod/v4/x.js', 1],
    ]);
  });
});
