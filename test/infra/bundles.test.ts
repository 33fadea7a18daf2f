import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { newUser } from '../../functions/auth/model/registration.ts';
import { bundle } from '../../infra/bundle/bundle.ts';
import { planFunctions } from '../../infra/function-plan.ts';
import { projectRoot } from '../../infra/project.ts';
import { loadOperations } from '../../infra/registry.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { provideOrganizations } from '../../shared/ports/table.ts';
import { budgets } from '../bench/budgets.ts';
import { functionBundles } from '../harness/assembly.ts';
import { startTestDatabase } from '../harness/database.ts';
import { unhurried } from '../harness/eventually.ts';
import { loadedFiles } from '../harness/loaded-files.ts';
import { invocationScope } from '../harness/objects.ts';

const registered = await loadOperations();
const functions = planFunctions(registered);
/** All but those that carry a document to answer. */
const small = functions.filter(({ operations }) =>
  operations.every(({ operation }) => operation.uses.asset === undefined),
);
const folder = await mkdtemp(join(tmpdir(), 'switchboard-bundles-'));
const database = await startTestDatabase();
vi.stubEnv('TABLE_NAME', database.tableName);
const bundles = await functionBundles();
afterAll(async () => {
  vi.unstubAllEnvs();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

test.each(small)('A start of $name evaluates at most 420 KB', async ({ name }) => {
  const loaded = await loadedFiles(join(bundles, name));
  const bytes = [...loaded.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  expect(bytes).toBeLessThanOrEqual(budgets.bundle.bytes);
});

test.each(functions)('A start of $name does not read every property of node:http', async ({ name }) => {
  const loaded = await loadedFiles(join(bundles, name));
  expect(/(from|import) ?['"](node:)?http['"]/.test([...loaded.values()].join('\n'))).toBe(false);
});

test.each(functions)(
  'The bundle of $name is plain JavaScript that runs on any processor',
  async ({ name }) => {
    const loaded = await loadedFiles(join(bundles, name));
    expect(/Dynamic require of|\.node['"`]/.test([...loaded.values()].join('\n'))).toBe(false);
    expect(/export\{[\w$]+ as handler\}/.test(loaded.get('index.mjs') ?? '')).toBe(true);
  },
);

const source = `
    import * as z from '${projectRoot}/node_modules/zod/index.js';
    import { Failure } from '${projectRoot}/shared/kernel/failure.ts';
    import { operation } from '${projectRoot}/shared/kernel/operation.ts';
    export default operation({
      route: 'POST /api/things', summary: 'Add a thing', family: 'plain', minimumRole: 'SALES_REP', uses: { table: 'write' },
      body: z.object({ name: z.string() }), output: z.object({ matches: z.boolean(), name: z.string() }),
      async run({ body }, { table }) {
        const key = { partition: ['THINGS'], sort: ['THING', body.name] };
        const otherwise = ({ name }) => new Failure('CONFLICT', name + ' is taken');
        await table.commit([table.add(key, { name: body.name }, { otherwise })]);
        const stored = await table.read(key);
        const { RE2JS } = await import('${projectRoot}/node_modules/re2js');
        return { ...stored.data, matches: RE2JS.compile('^l').matcher(body.name).find() };
      },
    });`;

async function answer(body: object): Promise<{ statusCode: number; body: string }> {
  const { handler } = await import(pathToFileURL(join(folder, 'add-thing/index.mjs')).href);
  return handler(
    {
      rawPath: '/api/things',
      headers: {},
      body: JSON.stringify(body),
      requestContext: {
        requestId: 'request-1',
        http: { method: 'POST', path: '/api/things', sourceIp: '192.0.2.1' },
        authorizer: {
          lambda: {
            userId: 'user-1',
            organizationId: 'acme',
            role: 'ADMIN',
            expiresAt: Date.now() / 1_000 + 600,
          },
        },
      },
    },
    {},
  );
}

const users = provideOrganizations(process.env, unhurried)(invocationScope(undefined))('acme');
const user = newUser(
  'user-1',
  'acme',
  { email: 'a@example.com', firstName: 'Ada', lastName: 'Admin', role: 'ADMIN', departmentIds: [] },
  new Date(),
);
await users.commit([users.add(userKey(user._id), user)]);
await mkdir(join(folder, 'source/things'), { recursive: true });
await writeFile(join(folder, 'source/things/add-thing.ts'), source);
await bundle(await loadOperations(join(folder, 'source')), folder);

test('A bundled function writes to the database, reads from it, and loads what it imports late', async () => {
  const { statusCode, body } = await answer({ name: 'lamp' });
  expect([statusCode, JSON.parse(body)]).toEqual([200, { name: 'lamp', matches: true }]);
});

test('A function that reads phone numbers has their plans in a file beside its bundle, which a start does not evaluate', async () => {
  for (const name of ['create-contact', 'receive-lead', 'update-workflow']) {
    expect([...(await loadedFiles(join(bundles, name))).keys()]).not.toContain('numbering-plans.mjs');
    const plans = await import(pathToFileURL(join(bundles, name, 'numbering-plans.mjs')).href);
    expect(plans.withoutTrunkPrefix('+4402071838750')).toBe('+442071838750');
  }
  expect(await readdir(join(bundles, 'login'))).not.toContain('numbering-plans.mjs');
});

test('A bundled function knows why the database refused a write', async () => {
  await answer({ name: 'chair' });
  const { statusCode, body } = await answer({ name: 'chair' });
  expect([statusCode, JSON.parse(body)]).toEqual([409, { success: false, message: 'chair is taken' }]);
});

test('A bundled function says what is wrong with its input', async () => {
  const { statusCode, body } = await answer({ name: 7 });
  expect(statusCode).toBe(400);
  expect(body).toContain('name');
});
