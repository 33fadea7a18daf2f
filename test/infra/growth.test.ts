import { Code } from 'aws-cdk-lib/aws-lambda';
import { expect, test } from 'vitest';
import { generatedOperations } from './generated-operations.ts';
import { resynthesized } from './synthesized.ts';

test('A hundred operations, most of them in one folder, stay far below the limits of a stack', async () => {
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
  for (let number = 1; number <= 100; number += 1) {
    const name = number <= 80 ? `contacts/do-thing-${number}` : `notes/do-thing-${number}`;
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
    expect(Math.max(...sizes)).toBeLessThan(450);
    expect(app.ofType('AWS::ApiGatewayV2::Route')).toHaveLength(101);
  } finally {
    await app.remove();
    await remove();
  }
});
