import { beforeAll, expect, test } from 'vitest';
import { rightsAmong } from '../../functions/workflows/model/definition/rights-of-owner.ts';
import { type Role, reaches, roles } from '../../shared/kernel/caller.ts';
import type { Timestamp } from '../../shared/kernel/time.ts';
import { sees } from '../../shared/organizations/visibility.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, failure, outcome } from '../harness/tenants.ts';
import { inARow } from './advancing.ts';
import { type WorkflowRecord, workflowsClient } from './client.ts';
import { newRun, runsClient, writeRuns } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep, otherHead } = tenants;

const refusal = failure(
  403,
  'This workflow acts with the rights of its owner, which are wider than yours. Ask its owner or an ADMIN.',
);

const departmentsOf = async ({ userId }: Person): Promise<string[]> => {
  const { data } = await arrange(product.call('list-users', { token: admin.token }));
  return data.find(({ _id }: { _id: string }) => _id === userId).departmentIds;
};

const later = '2099-01-01T00:00:00.000Z' as Timestamp;
const graph = inARow([{ type: 'assign', data: { userId: head.userId } }], 'contact.updated');
const manual = inARow([{ type: 'addNote', data: { note: 'Hello' } }]);

/** Colleagues of the head, whose workflows the head sees, by how far they reach. */
const colleagues = {} as Record<'boss' | 'wider' | 'equal' | 'peer', Person>;

beforeAll(async () => {
  const [own, other] = await Promise.all([departmentsOf(head), departmentsOf(otherHead)]);
  const colleague = (role: Role, departmentIds: readonly string[]) =>
    product.newColleague(admin, role, { departmentIds });
  colleagues.boss = await colleague('ADMIN', own);
  colleagues.wider = await colleague('DEPARTMENT_HEAD', [...own, ...other]);
  colleagues.equal = await colleague('DEPARTMENT_HEAD', own);
  colleagues.peer = await colleague('SALES_REP', [...own, ...other]);
});

/** All by which somebody has a workflow do something else than before, or do it now. */
const requests = {
  'changes the graph': (by: Person, { _id }: WorkflowRecord) =>
    workflowsClient(product, by).update(_id, graph),
  'changes the settings': (by: Person, { _id }: WorkflowRecord) =>
    workflowsClient(product, by).update(_id, { settings: { reentry: 'always' } }),
  'moves the runs': (by: Person, { _id }: WorkflowRecord) =>
    workflowsClient(product, by).update(_id, {}, { query: { running: 'move' } }),
  'enables it with an update': (by: Person, { _id }: WorkflowRecord) =>
    workflowsClient(product, by).update(_id, { enabled: true }),
  'enables it': (by: Person, { _id }: WorkflowRecord) => workflowsClient(product, by).toggle(_id),
  'runs it': async (by: Person, { _id }: WorkflowRecord) =>
    runsClient(product, by).run(_id, { contactId: (await tenants.newContact())._id }),
};
const isOfDisabled = (name: string) => name.startsWith('enables');

/** A workflow of this owner, and what becomes of the request. */
async function doneTo(owner: Person, name: keyof typeof requests, by: Person) {
  const enabled = !isOfDisabled(name);
  const workflow = await workflowsClient(product, owner).created({ ...manual, enabled });
  return requests[name](by, workflow);
}

test.each(Object.keys(requests) as (keyof typeof requests)[])(
  'A head who %s needs the rights of the owner: neither an ADMIN nor a head of more departments may be the owner',
  async (name) => {
    for (const owner of [colleagues.boss, colleagues.wider]) {
      expect(outcome(await doneTo(owner, name, head))).toEqual(refusal);
    }
    for (const owner of [head, rep, colleagues.equal, colleagues.peer]) {
      expect((await doneTo(owner, name, head)).status).toBeLessThan(300);
    }
    expect((await doneTo(colleagues.wider, name, admin)).status).toBeLessThan(300);
  },
);

test.each(['retry', 'continue'] as const)(
  'A head can %s only runs that act with no wider rights',
  async (act) => {
    const status = act === 'retry' ? 'failed' : 'waiting';
    const { boss, equal } = colleagues;
    const tokens = [{ n: 1, nodeId: 'n1', wait: { since: later, until: later } }];
    const runIdOf = async ({ userId }: Person) =>
      (await newRun(tenants, { userId, status, ...(act === 'continue' && { tokens }) }))._id;
    const client = runsClient(product, head);
    const ofBoss = await runIdOf(boss);
    expect(outcome(await client[act](ofBoss))).toEqual(refusal);
    expectStatus(await client[act](await runIdOf(equal)), 200);
    expectStatus(await runsClient(product, admin)[act](ofBoss), 200);
  },
);

/** All by which somebody has a workflow do less. */
const endings = {
  'disables it with an update': (by: Person, { _id }: WorkflowRecord) =>
    workflowsClient(product, by).update(_id, { enabled: false }),
  'disables it': (by: Person, { _id }: WorkflowRecord) => workflowsClient(product, by).toggle(_id),
  'ends its runs': async (by: Person, { _id }: WorkflowRecord) =>
    workflowsClient(product, by).toggle(_id, { enabled: false }, { query: { cancelRuns: 'true' } }),
  'deletes it': (by: Person, { _id }: WorkflowRecord) => workflowsClient(product, by).remove(_id),
};

test.each(Object.keys(endings) as (keyof typeof endings)[])(
  'A head who %s needs the rights of the owner, as for enabling it',
  async (name) => {
    const doneTo = async (owner: Person, by: Person) => {
      const workflow = await workflowsClient(product, owner).created({ ...manual, enabled: true });
      const response = await endings[name](by, workflow);
      const after = await workflowsClient(product, owner).read(workflow._id);
      return { ...outcome(response), isAsBefore: after.body.data?.enabled === true };
    };
    for (const owner of [colleagues.boss, colleagues.wider]) {
      expect(await doneTo(owner, head)).toEqual({ ...refusal, isAsBefore: true });
    }
    for (const [owner, by] of [
      [colleagues.peer, head],
      [colleagues.equal, head],
      [colleagues.boss, admin],
    ] as const) {
      expect(await doneTo(owner, by)).toMatchObject({ status: 200, isAsBefore: false });
    }
  },
);

test('The runs of a disabled workflow are ended by nobody without the rights of its owner', async () => {
  const theirs = await workflowsClient(product, colleagues.boss).created({ ...manual, enabled: false });
  const client = workflowsClient(product, head);
  const ending = { query: { cancelRuns: 'true' } };
  expect(outcome(await client.toggle(theirs._id, { enabled: false }, ending))).toEqual(refusal);
  expectStatus(await client.toggle(theirs._id, { enabled: false }), 200);
});

test('Whoever sees a workflow may read and rename it, and send again what it has', async () => {
  const theirs = await workflowsClient(product, colleagues.boss).created({ ...manual, enabled: true });
  const client = workflowsClient(product, head);
  expectStatus(await client.read(theirs._id), 200);
  expectStatus(await client.update(theirs._id, { name: `Renamed ${theirs._id}`, enabled: true }), 200);
  expectStatus(await client.update(theirs._id, manual), 200);
  expectStatus(await runsClient(product, head).ofWorkflow(theirs._id), 200);
});

test('A run is cancelled by nobody without the rights of the owner of its workflow, although they see the contact', async () => {
  const [ofBoss, ofPeer] = [
    await newRun(tenants, { userId: colleagues.boss.userId, status: 'running' }),
    await newRun(tenants, { userId: colleagues.peer.userId, status: 'running' }),
  ];
  expect(outcome(await runsClient(product, rep).cancel(ofBoss._id))).toEqual(
    failure(403, 'Only users who can see the workflow may do this. Ask its owner or an ADMIN.'),
  );
  expect(outcome(await runsClient(product, head).cancel(ofBoss._id))).toEqual(refusal);
  expect((await runsClient(product, rep).read(ofBoss._id)).body.data.status).toBe('running');
  expectStatus(await runsClient(product, head).cancel(ofPeer._id), 200);
  expectStatus(await runsClient(product, admin).cancel(ofBoss._id), 200);
});

test('All runs of a contact are cancelled but those of workflows with wider rights, and the response says how many go on', async () => {
  const { userId: ofBoss } = colleagues.boss;
  const own = await newRun(tenants, { status: 'waiting' });
  const { contactId } = own;
  const { _id: workflowId } = await workflowsClient(product, colleagues.boss).created(manual);
  const [theirs] = await writeRuns(product, rep.organizationId, [
    { workflowId, contactId, userId: ofBoss, status: 'waiting' },
  ]);
  const client = runsClient(product, rep);
  const { data, message } = expectStatus(await client.cancelOfContact(contactId), 200);
  expect(data.runs).toEqual([{ runId: own._id, workflowId: own.workflowId }]);
  expect(message).toBe(
    '1 run cancelled. 1 goes on, whose workflow has wider rights than you: ask its owner or an ADMIN.',
  );
  expect(outcome(await client.cancelOfContact(contactId))).toEqual({
    status: 403,
    body: {
      error: 'Forbidden',
      message:
        'The runs of this contact belong to workflows with wider rights than you. Ask their owners or an ADMIN.',
    },
  });
  expect((await client.read(theirs?._id ?? '')).body.data.status).toBe('waiting');
  const byAdmin = await runsClient(product, admin).cancelOfContact(contactId);
  expect(expectStatus(byAdmin, 200).message).toBe('1 run cancelled');
});

const someDepartments = [[], ['north'], ['south'], ['north', 'south']];
const members = roles.flatMap((accessRole) =>
  someDepartments.map((departmentIds) => ({ accessRole, departmentIds })),
);
const others = someDepartments.map((departmentIds, index) => ({
  ...{ _id: `rep-${index}`, accessRole: 'SALES_REP' as const, departmentIds },
}));
/** Each role and choice of departments against each other one. */
const pairs = members.flatMap((caller) => members.map((owner) => ({ caller, owner })));

test('Whoever has the rights of an owner sees all contacts that the owner sees, and has no lower role', () => {
  for (const pair of pairs) {
    const caller = { _id: 'caller', ...pair.caller };
    const owner = { _id: 'owner', ...pair.owner };
    const users = [caller, owner, ...others];
    const rightsOf = ({ _id, accessRole }: typeof caller) =>
      rightsAmong({ userId: _id, role: accessRole }, users);
    const seenBy = (one: typeof caller) =>
      ['outsider', ...users.map(({ _id }) => _id)].filter((userId) => sees(rightsOf(one).scope, [userId]));
    const seesAll = seenBy(owner).every((userId) => seenBy(caller).includes(userId));
    // Within an organization, an ADMIN may do all that a SUPERADMIN may.
    const isHighEnough = reaches(caller.accessRole, 'ADMIN') || reaches(caller.accessRole, owner.accessRole);
    expect({ pair, has: rightsOf(caller).covers('owner') }).toEqual({ pair, has: seesAll && isHighEnough });
    expect(rightsOf(caller).covers('caller')).toBe(true);
  }
});
