import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operations } from '../../infra/registry.ts';
import { type Synthesized, statementsOf, synthesized } from '../infra/synthesized.ts';
import { accesses } from './bucket.ts';

let folder: string;
let app: Synthesized;

/** The product's stacks, with nothing in them but one operation for each access to objects. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-functions-'));
  const files: [string, object][] = [
    ['platform/authorize', { kind: 'authorizer', summary: 'Authorize', uses: {} }],
    ['platform/make-keys', { kind: 'deployment', summary: 'Make keys', uses: {} }],
    ...accesses.map((access): [string, object] => [
      `files/use-${access.toLowerCase()}`,
      {
        kind: 'http',
        route: `POST /api/use-${access.toLowerCase()}`,
        summary: `Use ${access}`,
        family: 'plain',
        minimumRole: 'SALES_REP',
        uses: { objects: access },
      },
    ]),
  ];
  for (const [name, operation] of files) {
    const file = join(folder, `${name}.ts`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `export default ${JSON.stringify(operation)};`);
  }
  app = await synthesized(await operations(folder));
});
afterAll(async () => {
  await app.remove();
  await rm(folder, { recursive: true, force: true });
});

test.each([
  ['downloads', { 'files/*': ['s3:GetObject'] }],
  ['attachments', { 'files/*': ['s3:GetObject'] }],
  ['newAttachments', { 'org/*': ['s3:GetObject'], 'files/*': ['s3:GetObject', 's3:PutObject'] }],
  ['uploads', { 'org/*': ['s3:PutObject'] }],
  ['storedDocuments', { 'documents/*': ['s3:GetObject'] }],
  ['plans', { 'documents/*': ['s3:GetObject'] }],
  ['documents', { 'documents/*': ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'] }],
  ['exports', { 'exports/*': ['s3:GetObject', 's3:PutObject'], 'files/*': ['s3:GetObject'] }],
  [
    'erasure',
    {
      'org/*': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      'files/*': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      'documents/*': ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      'exports/*': ['s3:DeleteObject'],
    },
  ],
])(
  'A function with the port "objects" with the access "%s" may do exactly this with the bucket: %j',
  (access, allowed) => {
    const statements = statementsOf(app, `use-${access.toLowerCase()}`).filter(({ Action }) =>
      [Action].flat().some((action) => action.startsWith('s3:')),
    );
    // Statements with the same actions are one.
    const granted = statements.flatMap(({ Effect, Action, Resource }) =>
      [Resource].flat().map((resource) => ({ Effect, actions: [Action].flat().sort(), resource })),
    );
    const inOrder = (some: readonly object[]) => some.map((one) => JSON.stringify(one)).sort();
    const [{ resource } = { resource: '' }] = granted;
    const bucket = /"Fn::ImportValue":"[^"]*Bucket\w+Arn\w*"/.exec(JSON.stringify(resource))?.[0];
    expect(inOrder(granted)).toEqual(
      inOrder(
        Object.entries(allowed).map(([keys, actions]) => ({
          Effect: 'Allow',
          actions,
          resource: { 'Fn::Join': ['', [JSON.parse(`{${bucket}}`), `/${keys}`]] },
        })),
      ),
    );
  },
);

test('Exports and uploads that nobody attached are gone after a day, and nothing else in the bucket goes by itself', () => {
  const rules = app
    .ofType('AWS::S3::Bucket')
    .filter(({ Properties }) => Properties.CorsConfiguration !== undefined)
    .flatMap(({ Properties }) => Properties.LifecycleConfiguration.Rules);
  expect(rules.filter(({ ExpirationInDays }) => ExpirationInDays !== undefined)).toEqual(
    ['exports/', 'org/'].map((Prefix) => ({
      Prefix,
      Status: 'Enabled',
      ExpirationInDays: 1,
      NoncurrentVersionExpiration: { NoncurrentDays: 1 },
    })),
  );
});

test('Nothing restores an attachment that was deleted by accident for longer than a day', () => {
  const rules = app
    .ofType('AWS::S3::Bucket')
    .flatMap(({ Properties }) => Properties.LifecycleConfiguration?.Rules ?? []);
  expect(rules.filter(({ Prefix }) => Prefix === 'files/')).toEqual([
    { Prefix: 'files/', Status: 'Enabled', NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
  ]);
});
