import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { day, after as later, timestamp } from '../../shared/kernel/time.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import { addWithinShare, trialCountKey } from '../../shared/organizations/trial-records.ts';
import { timedOut } from '../contacts/faulty-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { deliverDeferred } from '../harness/queues.ts';
import { arrange, countStatuses, newPhoneNumber } from '../harness/tenants.ts';

// how many records an organization on trial may add on a day, where the policy is strict.

const product = await setUpProduct();
const faults = setUpFaultyTable();
product.providers.trialPolicy = () => trialPolicies.approved;
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
  await table.update(trialCountKey(kind, timestamp(new Date()).slice(0, 10)), {
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
  'An organization on trial adds 100 %s a day, however many are added at once, and after its approval as many as others',
  async (kind) => {
    const admin = await nearlyFull(kind);
    const responses = await Promise.all(Array.from({ length: 5 }, () => add[kind](admin)));
    expect(countStatuses(responses)).toEqual({ 201: 2, 429: 3 });
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toEqual(refusals[kind]);
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(day / 1_000);
    await approve(admin.organizationId);
    expect((await add[kind](admin)).status).toBe(201);
  },
);

test('The next day an organization on trial may add more workflows', async () => {
  const admin = await nearlyFull('workflows');
  const responses = await Promise.all([1, 2, 3].map(() => add.workflows(admin)));
  expect(countStatuses(responses)).toEqual({ 201: 2, 429: 1 });
  const at = later(new Date(), day);
  const { body } = await product.call('login', { body: { email: admin.email, password }, at });
  expect((await add.workflows({ ...admin, token: body.token }, at)).status).toBe(201);
});

test.each<Kind>(['workflows', 'users'])(
  'Where the policy is open, any number of %s may be added',
  async (kind) => {
    const admin = await nearlyFull(kind);
    product.providers.trialPolicy = () => trialPolicies.open;
    const responses = await Promise.all([1, 2, 3].map(() => add[kind](admin)));
    product.providers.trialPolicy = () => trialPolicies.approved;
    expect(countStatuses(responses)).toEqual({ 201: 3 });
  },
);

type SharedKind = 'contacts' | 'notes';

const newContact = ({ token }: Person) =>
  product.call('create-contact', { token, body: { firstName: 'Ada', lastName: randomUUID() } });

/** Adds a contact, or a note on this one. */
async function addShared(kind: SharedKind, person: Person, contactId: string): Promise<ApiResponse> {
  const body = { contactId, note: 'Called' };
  return kind === 'contacts'
    ? newContact(person)
    : product.call('create-note', { token: person.token, body });
}

/** Adds more than a share has, as this does, without the requests. */
async function tryOften(kind: SharedKind, { organizationId }: Person, add: () => Promise<void>) {
  const { table } = product.tableOf(organizationId);
  const { ports } = newInvocation(systemRuntime, product.providers);
  const { rateLimits } = ports({ rateLimits: 'limit' }) as Ports<{ rateLimits: 'limit' }>;
  const sources = { table, rateLimits, trialPolicy: trialPolicies.approved };
  for (let tried = 0; tried < 10_400; tried += 1) {
    await addWithinShare(sources, kind, organizationId, add).catch(() => undefined);
  }
}

/** A new organization that has just added what an organization on trial may add of this kind, with a contact. */
async function withShareUsedUp(kind: SharedKind) {
  const admin = await product.newOrganization();
  const contactId: string = (await arrange(newContact(admin))).data._id;
  await tryOften(kind, admin, async () => undefined);
  return { admin, contactId };
}

describe.each<SharedKind>(['contacts', 'notes'])('Of %s', (kind) => {
  test('An organization on trial adds about 10,000 a day, an approved organization and others any number', async () => {
    const { admin, contactId } = await withShareUsedUp(kind);
    const refused = await addShared(kind, admin, contactId);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain(
      `Until a SUPERADMIN approves your organization, it may add 10,000 ${kind} a day, and has added them. Wait as many seconds as Retry-After says, or ask the operator of this service to approve it.`,
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const other = await product.newOrganization();
    const { _id } = (await arrange(newContact(other))).data;
    expect((await addShared(kind, other, _id)).status).toBe(201);
    product.providers.trialPolicy = () => trialPolicies.open;
    expect((await addShared(kind, admin, contactId)).status).toBe(201);
    product.providers.trialPolicy = () => trialPolicies.approved;
    await approve(admin.organizationId);
    expect((await addShared(kind, admin, contactId)).status).toBe(201);
  });
});

test('What fails is not counted', async () => {
  const admin = await product.newOrganization();
  await tryOften('contacts', admin, () => Promise.reject(new Error('A contact has this number')));
  expect((await newContact(admin)).status).toBe(201);
});

test('A lead counts as a contact, unless it was deferred: that one is stored', async () => {
  const { admin } = await withShareUsedUp('contacts');
  const configuration = { name: 'Form', source: 'Form', isActive: true };
  const created = await arrange(
    product.call('create-outreach-configuration', { token: admin.token, body: configuration }),
  );
  const body = { configurationId: created.data._id, firstName: 'Mary', phoneNumber: newPhoneNumber() };
  const refused = await product.call('receive-lead', { body });
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('it may add 10,000 contacts a day');
  faults.always('GetItemCommand', timedOut);
  faults.always('BatchGetItemCommand', timedOut);
  expect((await product.call('receive-lead', { body })).status).toBe(202);
  faults.clear();
  const deferred = product.queues.deferredRequests.take().map((message) => message.body);
  const lines: Record<string, unknown>[] = [];
  const log = (line: Record<string, unknown>) => void lines.push(line);
  expect(await deliverDeferred(product.providers, deferred, { log })).toEqual({ batchItemFailures: [] });
  expect(lines).toEqual([expect.not.objectContaining({ dropped: expect.anything() })]);
});
