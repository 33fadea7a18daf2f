import { afterEach, expect, test } from 'vitest';
import { entryPoint } from '../../infra/bundle/entry-points.ts';
import { type FunctionPlan, planFunctions, portsOfAll, stepOperations } from '../../infra/function-plan.ts';
import type { Resources } from '../../infra/port-resources.ts';
import { loadOperations } from '../../infra/registry.ts';
import { generatedOperations } from './generated-operations.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(cleanUp.splice(0).map((remove) => remove()));
});

const anOperation = (more: object) => ({
  ...{ kind: 'http', summary: 'Do', family: 'plain', minimumRole: 'SALES_REP', output: {} },
  ...more,
});

/** Functions that perform or simulate two operations, by name; a third one is not for steps. */
async function plans(): Promise<(name: string) => FunctionPlan> {
  const { registered, remove } = await generatedOperations({
    'notes/add-note.ts': anOperation({
      ...{ route: 'POST /api/notes', asStep: true },
      uses: { table: 'write', objects: 'newAttachments' },
    }),
    'notes/move-note.ts': anOperation({
      ...{ route: 'PUT /api/notes/{id}', asStep: true },
      uses: { table: 'write', platform: 'write' },
    }),
    'notes/sign-note.ts': anOperation({
      ...{ route: 'PUT /api/notes/{id}/signature' },
      uses: { table: 'write', tokens: 'sign' },
    }),
    'steps/advance.ts': {
      ...{ kind: 'queue', queue: 'outgoingTexts', summary: 'Advance' },
      uses: { stepOperations: 'run' },
    },
    'steps/simulate.ts': anOperation({
      ...{ route: 'POST /api/simulations' },
      uses: { table: 'read', stepOperations: 'simulate' },
    }),
  });
  cleanUp.push(remove);
  const functions = planFunctions(registered);
  return (name) => {
    const plan = functions.find((one) => one.name === name);
    if (plan === undefined) {
      throw new Error(`There is no function ${name}`);
    }
    return plan;
  };
}

/** What a function may do to the table and to objects. */
function rightsOf(plan: FunctionPlan): string[] {
  const resources = { objectsArn: (pattern: string) => pattern } as Resources;
  const rights = portsOfAll(plan).flatMap(({ name, table, grants }) => [
    ...(table === undefined ? [] : [`${table.partitions} ${table.access}`]),
    ...(name === 'objects' && grants ? grants(resources).flatMap(({ actions }) => actions) : []),
  ]);
  return [...new Set(rights)].sort();
}

test('A function that performs steps loads the operations declared for them when it needs them, each with its own ports but the table', async () => {
  const source = entryPoint((await plans())('advance'));
  expect(source).toContain(
    "serveQueue('advance', operation0, { stepOperations: provideStepOperations([" +
      "{ name: 'add-note', load: async () => (await import('steps:advance')).operation0, providers: { objects: provideNewAttachments(process.env) } }," +
      "{ name: 'move-note', load: async () => (await import('steps:advance')).operation1, providers: { platform: providePlatform(process.env) } }]) })",
  );
  expect(source).not.toContain('sign-note');
});

test('A function that performs steps may do what their operations may', async () => {
  expect(rightsOf((await plans())('advance'))).toEqual([
    ...['ORG#* write', 'PLATFORM#* write', 's3:GetObject', 's3:PutObject'],
  ]);
});

test('A function that simulates steps may read what their operations read, and write nothing', async () => {
  const plan = (await plans())('simulate');
  expect(rightsOf(plan)).toEqual(['ORG#* check', 'ORG#* read', 'PLATFORM#* read', 's3:GetObject']);
  expect(entryPoint(plan)).toContain('platform: providePlatform(process.env)');
});

test('Nothing can be built with an operation for steps that does not write to the table of its caller', async () => {
  const { registered, remove } = await generatedOperations({
    'notes/read-note.ts': anOperation({ route: 'GET /api/notes', asStep: true, uses: { table: 'read' } }),
  });
  cleanUp.push(remove);
  expect(() => stepOperations(registered)).toThrow('does not write to the table of the caller');
});

test('Every operation for steps takes a caller', async () => {
  const performed = stepOperations(await loadOperations());
  expect(performed.map(({ name }) => name)).toContain('create-note');
  for (const { operation } of performed) {
    expect(operation.minimumRole).not.toBe('anyone');
  }
});
