import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { generatedOperations } from './generated-operations.ts';
import { httpRoutesOf } from './http-routes.ts';
import { allowance } from './quotas.ts';
import { functionOf, mappingOf, resynthesized } from './synthesized.ts';

test('Three hundred operations, a quarter of them in one folder, stay far below the limits of a stack, and thirty that read the stream below those of its readers', async () => {
  const files: Record<string, object> = {
    'platform/authorize.ts': { kind: 'authorizer', summary: 'Authorize', uses: {} },
    'platform/make-keys.ts': { kind: 'deployment', summary: 'Make keys', uses: {} },
    'live/deliver.ts': {
      kind: 'stream',
      reader: 'live',
      summary: 'Deliver',
      uses: {},
      on: { change: 'INSERT', sortPrefix: 'EVENT#' },
    },
    'live/tidy.ts': { kind: 'schedule', summary: 'Tidy', uses: {}, on: { everyMinutes: 60 } },
    'live/connect.ts': { kind: 'socket', summary: 'Connect', uses: {}, on: '$connect' },
  };
  for (let number = 1; number <= 300; number += 1) {
    const name = `${['calls', 'contacts', 'notes', 'workflows'][number % 4]}/do-thing-${number}`;
    files[`${name}.ts`] = {
      kind: 'http',
      route: `POST /api/${name}/{id}`,
      summary: 'Do a thing',
      family: 'plain',
      minimumRole: 'SALES_REP',
      uses: {},
    };
  }
  for (let number = 1; number <= 30; number += 1) {
    files[`files/take-${number}.ts`] = {
      kind: 'stream',
      reader: 'background',
      summary: 'Take a change',
      uses: number === 1 ? { objects: 'exports' } : { organizations: number === 2 ? 'write' : 'read' },
      on: { change: number % 2 === 0 ? 'INSERT' : 'REMOVE', sortPrefix: `KIND${number}#` },
    };
  }
  const { registered, remove } = await generatedOperations(files);
  const app = await resynthesized({ operations: registered, code: Code.fromInline });
  try {
    const sizes = app.templates.map(({ resources }) => Object.keys(resources).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(allowance('resources'));
    const bytes = app.templates.map(({ text }) => Buffer.byteLength(text));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(allowance('templateBytes'));
    expect(httpRoutesOf(app).size).toBe(300);
    expect(app.ofType('AWS::Lambda::EventSourceMapping')).toHaveLength(allowance('streamReaders'));
    const { Filters } = mappingOf(app, 'background-changes').Properties.FilterCriteria;
    const patterns: string[] = Filters.map(({ Pattern }: { Pattern: string }) => Pattern);
    expect(patterns.length).toBeLessThanOrEqual(allowance('filters'));
    expect(Math.max(...patterns.map(({ length }) => length))).toBeLessThan(allowance('filterCharacters'));
    expect(new Set(patterns.join().match(/KIND\d+#/g)).size).toBe(30);
    // As the neediest of its operations: an export takes the most.
    expect(functionOf(app, 'background-changes').Properties.MemorySize).toBe(1769);
  } finally {
    await app.remove();
    await remove();
  }
});
