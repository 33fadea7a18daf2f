import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { generatedOperations } from './generated-operations.ts';
import { httpRoutesOf } from './http-routes.ts';
import { allowance } from './quotas.ts';
import { resynthesized } from './synthesized.ts';

test('Three hundred operations, a quarter of them in one folder, stay far below the limits of a stack', async () => {
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
  const { registered, remove } = await generatedOperations(files);
  const app = await resynthesized({ operations: registered, code: Code.fromInline });
  try {
    const sizes = app.templates.map(({ resources }) => Object.keys(resources).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(allowance('resources'));
    const bytes = app.templates.map(({ text }) => Buffer.byteLength(text));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(allowance('templateBytes'));
    expect(httpRoutesOf(app).size).toBe(300);
  } finally {
    await app.remove();
    await remove();
  }
});
