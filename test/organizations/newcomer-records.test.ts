import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { day, after as later, timestamp } from '../../shared/kernel/time.ts';
import { newcomerCountKey } from '../../shared/newcomer-records.ts';
import { newcomerPolicies } from '../../shared/organizations/newcomer-policy.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { arrange, statusesOf } from '../harness/world.ts';

// How many workflows and users a newcomer may add on a day, where the policy is strict.

const product = await setUpProduct();
product.providers.newcomerPolicy = () => newcomerPolicies.approved;
const superadmin = await product.newSuperadmin();

type Kind = 'workflows' | 'users';

const add: Record<Kind, (admin: Person, at?: Date) => ReturnType<typeof product.call>> = {
  workflows: ({ token }, at) =>
    product.call('create-workflow', { token, body: { name: randomUUID() }, ...(at && { at }) }),
  users: ({ token }, at) =>
    product.call('register', {
      token,
      body: { email: `${randomUUID()}@example.com`, password, firstName: 'New', lastName: 'Member' },
      ...(at && { at }),
    }),
};

const refusals: Record<Kind, object> = {
  workflows: {
    success: false,
    message:
      'Until a SUPERADMIN approves your organization, it may create 100 workflows a day, and has created them. Create further ones after midnight UTC, or ask the operator of this service to approve it.',
  },
  users: {
    code: 'TOO_MANY_ATTEMPTS',
    error:
      'Until a SUPERADMIN approves your organization, 100 users a day may join it, and have joined. Add further ones after midnight UTC, or ask the operator of this service to approve it.',
  },
};

/** A new organization that has added all but two of what it may add on this day. */
async function nearlyFull(kind: Kind): Promise<Person> {
  const admin = await product.newOrganization();
  const { table } = product.tableOf(admin.organizationId);
  await table.update(newcomerCountKey(kind, timestamp(new Date()).slice(0, 10)), {
    update: 'SET used = :added',
    values: { added: 98 },
  });
  return admin;
}

const approve = (organizationId: string) =>
  arrange(
    product.call('update-text-settings', {
      token: superadmin.token,
      path: { organizationId },
      body: { approved: true },
    }),
  );

test.each<Kind>(['workflows', 'users'])(
  'A newcomer adds 100 %s a day, however many are added at once, and after its approval as many as others',
  async (kind) => {
    const admin = await nearlyFull(kind);
    const responses = await Promise.all(Array.from({ length: 5 }, () => add[kind](admin)));
    expect(statusesOf(responses)).toEqual({ 201: 2, 429: 3 });
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toEqual(refusals[kind]);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(day / 1_000);
    await approve(admin.organizationId);
    expect((await add[kind](admin)).status).toBe(201);
  },
);

test('The next day a newcomer may add more workflows', async () => {
  const admin = await nearlyFull('workflows');
  const responses = await Promise.all([1, 2, 3].map(() => add.workflows(admin)));
  expect(statusesOf(responses)).toEqual({ 201: 2, 429: 1 });
  const at = later(new Date(), day);
  const { body } = await product.call('login', { body: { email: admin.email, password }, at });
  expect((await add.workflows({ ...admin, token: body.token }, at)).status).toBe(201);
});

test.each<Kind>(['workflows', 'users'])(
  'Where the policy is open, any number of %s may be added',
  async (kind) => {
    const admin = await nearlyFull(kind);
    product.providers.newcomerPolicy = () => newcomerPolicies.open;
    const responses = await Promise.all([1, 2, 3].map(() => add[kind](admin)));
    product.providers.newcomerPolicy = () => newcomerPolicies.approved;
    expect(statusesOf(responses)).toEqual({ 201: 3 });
  },
);
