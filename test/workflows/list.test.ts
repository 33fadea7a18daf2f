import { expect, test } from 'vitest';
import { departmentKey } from '../../shared/organizations/organization.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { newWorkflowsClient, type WorkflowsClient, workflowsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, otherRep, otherHead, foreignAdmin } = tenants;

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);

test('GET /api/workflows returns whole workflows, newest first, in pages that end with null', async () => {
  const workflows = await newWorkflowsClient(product);
  const nodes = [{ id: 'a', type: 't', position: { x: 0, y: 0 } }];
  const all = [];
  for (let n = 0; n < 7; n += 1) {
    // Identifiers of one millisecond have no order.
    all.unshift(await workflows.created({ nodes, n }, { at: new Date(Date.now() + n) }));
  }
  expect((await workflows.list()).body).toEqual({ success: true, data: all, nextCursor: null });
  const first = expectStatus(await workflows.list({ limit: '3' }), 200);
  expect(Object.keys(first)).toEqual(['success', 'data', 'nextCursor']);
  expect(first.data).toEqual(all.slice(0, 3));
  const second = expectStatus(await workflows.list({ limit: '3', cursor: first.nextCursor }), 200);
  expect(second.data).toEqual(all.slice(3, 6));
  const third = expectStatus(await workflows.list({ limit: '3', cursor: second.nextCursor }), 200);
  expect({ data: third.data, nextCursor: third.nextCursor }).toEqual({
    data: all.slice(6),
    nextCursor: null,
  });
  expect(await workflows.everything({ limit: '1' })).toEqual(all);
});

test('GET /api/workflows has 25 a page by default, and nothing for nobody', async () => {
  const workflows = await newWorkflowsClient(product);
  expect((await workflows.list()).body).toEqual({ success: true, data: [], nextCursor: null });
  await Promise.all(Array.from({ length: 30 }, () => workflows.created()));
  expect(expectStatus(await workflows.list(), 200).data).toHaveLength(25);
  expect(expectStatus(await workflows.list({ limit: '100' }), 200).data).toHaveLength(30);
});

test('GET /api/workflows refuses an `enabled` that is neither true nor false', async () => {
  expect(outcome(await workflowsClient(product, admin).list({ enabled: 'yes' }))).toEqual(
    failure(400, 'enabled must be true or false'),
  );
});

test('GET /api/workflows filters by enabled, and by part of the name, whatever the case and the form', async () => {
  const workflows = await newWorkflowsClient(product);
  const on = ['Welcome Café', 'ﬁlter ΟΔΟΣ', 'Große Begrüßung'];
  const off = ['CAFE\u0301 closed', 'straße', 'Ｗｉｄｅ'];
  for (const [index, name] of [...on, ...off].entries()) {
    await workflows.created(
      { name, enabled: on.includes(name), description: 'café' },
      { at: new Date(Date.now() + index) },
    );
  }
  const found = async (query: Record<string, string>) => names(await workflows.everything(query)).reverse();
  const closed = 'CAFÉ closed';
  expect(await found({ enabled: 'true' })).toEqual(on);
  expect(await found({ enabled: 'false' })).toEqual([closed, 'straße', 'Ｗｉｄｅ']);
  expect(await found({ search: ' cafe\u0301 ' })).toEqual(['Welcome Café', closed]);
  expect(await found({ search: 'CAFÉ', enabled: 'false' })).toEqual([closed]);
  expect(await found({ search: 'filter οδο' })).toEqual(['ﬁlter ΟΔΟΣ']);
  expect(await found({ search: 'ße' })).toEqual(['Große Begrüßung', 'straße']);
  expect(await found({ search: 'wide' })).toEqual(['Ｗｉｄｅ']);
  expect(await found({ search: '%' })).toEqual([]);
  expect(await found({ search: '' })).toHaveLength(6);
  expect(await found({ search: 'c', limit: '1' })).toEqual(['Welcome Café', closed]);
});

test('GET /api/workflows shows a toggle, a new name and a removal at once', async () => {
  const workflows = await newWorkflowsClient(product);
  const [one, other] = [await workflows.created(), await workflows.created()];
  await arrange(workflows.toggle(one._id));
  expect(names(await workflows.everything({ enabled: 'true' }))).toEqual([one.name]);
  await arrange(workflows.update(one._id, { name: 'Renamed' }));
  expect(names(await workflows.everything({ search: 'renamed' }))).toEqual(['Renamed']);
  expect(await workflows.everything({ search: one.name })).toEqual([]);
  await arrange(workflows.remove(one._id));
  expect(names(await workflows.everything())).toEqual([other.name]);
});

const people = { admin, head, rep, otherRep, otherHead, foreignAdmin };
const clients = Object.fromEntries(
  Object.entries(people).map(([who, person]) => [who, workflowsClient(product, person)]),
) as Record<keyof typeof people, WorkflowsClient>;
for (const [who, client] of Object.entries(clients)) {
  await client.created({ name: `Of ${who}` });
}

test.each([
  ['admin', ['admin', 'head', 'rep', 'otherRep', 'otherHead']],
  ['head', ['head', 'rep']],
  ['rep', ['rep']],
  ['otherRep', ['otherRep']],
  ['otherHead', ['otherHead']],
  ['foreignAdmin', ['foreignAdmin']],
] as const)('GET /api/workflows shows %s those of %j', async (who, owners) => {
  const client = clients[who];
  const listed = names(await client.everything({ search: 'of ' })).sort();
  expect(listed).toEqual(owners.map((owner) => `Of ${owner}`).sort());
  expect(names(await client.everything({ search: 'of ', limit: '1' })).sort()).toEqual(listed);
});

test('The head of a department of 30 people sees the workflows of all of them, page by page, and of nobody else', async () => {
  const admin = await product.newOrganization();
  const { table, moment } = product.tableOf(admin.organizationId);
  const [_id, at] = [moment.newId(), moment.now.toISOString()];
  const { organizationId } = admin;
  await table.commit([
    table.add(departmentKey(_id), { _id, organizationId, name: 'Large', createdAt: at, updatedAt: at }),
  ]);
  const head = await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds: [_id] });
  const otherRep = await product.newColleague(admin);
  await workflowsClient(product, otherRep).created();
  const members = await Promise.all(
    Array.from({ length: 29 }, () => product.newColleague(admin, 'SALES_REP', { departmentIds: [_id] })),
  );
  const made = await Promise.all(members.map((member) => workflowsClient(product, member).created()));
  const { _id: own } = await workflowsClient(product, head).created();
  const seen = await workflowsClient(product, head).everything({ limit: '7' });
  expect(seen.map((workflow) => workflow._id).sort()).toEqual(
    [own, ...made.map((workflow) => workflow._id)].sort(),
  );
});
