import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { operations, type Registered } from '../../infra/registry.ts';
import { synthesized } from './synthesized.ts';

/** Operations that exist for this test only, in a folder of their own. */
async function generated(
  files: Record<string, object>,
): Promise<{ registered: Registered[]; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-functions-'));
  for (const [file, operation] of Object.entries(files)) {
    await mkdir(join(folder, dirname(file)), { recursive: true });
    await writeFile(join(folder, file), `export default ${JSON.stringify(operation)};`);
  }
  return { registered: await operations(folder), folder };
}

it('A hundred operations, most of them in one folder, stay far below the limits of a stack', async () => {
  const files: Record<string, object> = {
    'platform/authorize.ts': { kind: 'authorizer', summary: 'Authorize', uses: {} },
    'platform/make-keys.ts': { kind: 'deployment', summary: 'Make keys', uses: {} },
    'live/deliver.ts': {
      kind: 'stream',
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
      allow: 'SALES_REP',
      uses: {},
    };
  }
  const { registered, folder } = await generated(files);
  const app = await synthesized(registered);
  try {
    const sizes = app.templates.map(({ resources }) => Object.keys(resources).length);
    expect(Math.max(...sizes)).toBeLessThan(450);
    expect(app.ofType('AWS::ApiGatewayV2::Route')).toHaveLength(101);
  } finally {
    await app.remove();
    await rm(folder, { recursive: true, force: true });
  }
}, 60_000);
