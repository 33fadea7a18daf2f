import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { bundle } from '../../infra/bundle/bundle.ts';
import { streamReaders } from '../../infra/function-plan.ts';
import { loadOperations, ofKind, type Registered } from '../../infra/registry.ts';
import { changeKinds, type StreamOperation } from '../../shared/kernel/trigger.ts';
import { generatedOperations } from './generated-operations.ts';
import { mappingNamed, type Synthesized, synthesized } from './synthesized.ts';

/** What a mapping lets pass, as `INSERT EVENT#`, or as `INSERT in PLATFORM#` for a partition, sorted. */
function passing(app: Synthesized, name: string): string[] {
  const { Filters } = mappingNamed(app, name).Properties.FilterCriteria;
  return Filters.flatMap(({ Pattern }: { Pattern: string }) => {
    const { eventName, dynamodb, ...others } = JSON.parse(Pattern);
    const [[key, { S: rules }], ...further] = Object.entries<{ S: object[] }>(dynamodb.Keys) as [
      [string, { S: object[] }],
    ];
    expect([Object.keys(others), further]).toEqual([[], []]);
    return eventName.flatMap((change: string) =>
      rules.map((rule) => {
        expect(rule).toEqual({ prefix: expect.any(String) });
        return `${change}${key === 'pk' ? ' in' : ''} ${Object.values(rule)}`;
      }),
    );
  }).sort();
}

const asked = (some: readonly Registered<StreamOperation>[]) =>
  [
    ...new Set(
      some.flatMap(({ operation }) =>
        changeKinds(operation).map((change) => {
          const { sortPrefix, partitionPrefix } = operation.on;
          return partitionPrefix === undefined
            ? `${change} ${sortPrefix}`
            : `${change} in ${partitionPrefix}${sortPrefix}`;
        }),
      ),
    ),
  ].sort();
const all = loadOperations();
const app = await synthesized();
afterAll(() => app.remove());

test('The table’s stream has two readers: one hands live events over and does nothing else, the other runs all the rest', async () => {
  const [live, background, ...others] = streamReaders(await all);
  expect(others).toEqual([]);
  expect(live?.operations.map(({ name }) => name)).toEqual(['hand-over-events']);
  const rest = ofKind(await all, 'stream').filter(({ name }) => name !== 'hand-over-events');
  expect(background?.operations).toEqual(rest);
  const streams = app
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ Properties }) => Properties.StartingPosition !== undefined);
  expect(streams).toHaveLength(2);
});

test('The table’s stream delivers to each reader what its operations ask for, and nothing else', async () => {
  for (const { name, operations } of streamReaders(await all)) {
    expect(passing(app, name)).toEqual(asked(operations));
  }
});

afterAll(() => vi.unstubAllEnvs());

test('The bundle of a reader runs each operation with its own ports, and none with those of another', async () => {
  const noting = (sortPrefix: string, uses: object) => `export default {
      kind: 'stream', reader: 'background', summary: 'Note what there is', uses: ${JSON.stringify(uses)},
      on: { change: 'INSERT', sortPrefix: '${sortPrefix}' },
      async run(changes, { now, newId, ...ports }) {
        const can = Object.entries(ports).map(([name, port]) => [name, typeof port === 'function' && 'commit' in port('acme')]);
        (globalThis.noted ??= []).push({ sorts: changes.map(({ sort }) => sort), can: Object.fromEntries(can) });
      },
    };`;
  const generated = await generatedOperations({
    'notes/read-notes.ts': noting('NOTE#', { organizations: 'read' }),
    'calls/write-calls.ts': noting('CALL#', { organizations: 'write', identity: 'read' }),
  });
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-bundles-'));
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:9');
  try {
    await bundle(generated.registered, folder);
    const file = pathToFileURL(join(folder, 'background-changes/index.mjs')).href;
    const { handler } = await import(file);
    const change = (sort: string) => ({
      eventName: 'INSERT',
      dynamodb: { Keys: { pk: { S: 'ORG#acme' }, sk: { S: sort } } },
    });
    const Records = [change('NOTE#1'), change('CALL#1'), change('NOTE#2')];
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
    const { noted } = globalThis as { noted?: unknown };
    expect(noted).toHaveLength(2);
    expect(noted).toContainEqual({ sorts: ['CALL#1'], can: { organizations: true, identity: false } });
    expect(noted).toContainEqual({ sorts: ['NOTE#1', 'NOTE#2'], can: { organizations: false } });
  } finally {
    Reflect.deleteProperty(globalThis, 'noted');
    await generated.remove();
    await rm(folder, { recursive: true, force: true });
  }
});
