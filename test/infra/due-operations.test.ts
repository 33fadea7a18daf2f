import { afterEach, expect, test } from 'vitest';
import { entryPoint } from '../../infra/bundle/entry-points.ts';
import { planFunctions } from '../../infra/function-plan.ts';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import { dueKinds } from '../../shared/events/due-entry.ts';
import { generatedOperations } from './generated-operations.ts';

const all = await loadOperations();
const clock = ofKind(all, 'schedule').filter(({ operation }) => operation.uses.dueOperations !== undefined);
const due = ofKind(all, 'due');

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(cleanUp.splice(0).map((remove) => remove()));
});

test('Every kind of what can be due has one operation, which the one clock runs, and the consumer of the queue that wakes it', () => {
  expect(clock).toHaveLength(1);
  expect(due.map(({ operation }) => operation.on).sort()).toEqual([...dueKinds].sort());
  const functions = planFunctions(all).filter(({ operations: run }) =>
    run.some(({ operation }) => operation.kind === 'due'),
  );
  const consumers = ofKind(all, 'queue').filter(({ operation }) => operation.uses.dueOperations);
  expect(consumers.map(({ name }) => name)).toEqual(['advance-workflow-run']);
  expect(functions.map(({ operations: run }) => run)).toEqual(
    expect.arrayContaining([
      [...clock, ...due],
      [...consumers, ...due],
    ]),
  );
  expect(functions).toHaveLength(2);
});

test.each(dueKinds)('Nothing can be built while no operation does what is due of the kind %s', (kind) => {
  const others = all.filter(({ operation }) => operation.kind !== 'due' || operation.on !== kind);
  expect(() => planFunctions(others)).toThrow(`No operation does what is due of the kind "${kind}".`);
});

test('Nothing can be built while no clock runs what does what is due', () => {
  expect(() => planFunctions(due)).toThrow('does what is due, but no schedule uses dueOperations.');
});

test('The registry names both files that do what is due of one kind', async () => {
  const one = { kind: 'due', on: 'reminder', summary: 'Fire', uses: {} };
  await expect(generatedOperations({ 'calls/fire.ts': one, 'notes/fire-again.ts': one })).rejects.toThrow(
    /calls\/fire\.ts and .*notes\/fire-again\.ts|notes\/fire-again\.ts and .*calls\/fire\.ts/,
  );
});

test('The function of the clock gives each operation its own ports, and none those of another', async () => {
  const { registered, remove } = await generatedOperations({
    'clock/tick.ts': {
      kind: 'schedule',
      on: { everyMinutes: 1 },
      summary: 'Tick',
      uses: { platform: 'write', dueOperations: 'run' },
    },
    ...Object.fromEntries(
      dueKinds.map((on, index) => [
        `notes/do-${index}.ts`,
        { kind: 'due', on, summary: 'Do', uses: { organizations: index % 2 === 0 ? 'read' : 'write' } },
      ]),
    ),
  });
  cleanUp.push(remove);
  const [plan, ...others] = planFunctions(registered);
  expect(others).toEqual([]);
  const source = plan === undefined ? '' : entryPoint(plan);
  const list = dueKinds.map((on, index) => {
    const provider = index % 2 === 0 ? 'provideOrganizationsReader' : 'provideOrganizations';
    return `{ name: 'do-${index}', on: '${on}', load: async () => (await import('due:tick')).operation${index}, providers: { organizations: ${provider}(process.env) } }`;
  });
  expect(source).toContain(
    `serveSchedule('tick', operation0, { platform: providePlatform(process.env), dueOperations: provideDueOperations([${list}]) })`,
  );
});
