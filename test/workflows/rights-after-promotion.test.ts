import { describe, expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { notifierIn } from '../notifications/notifier.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { type WorkflowRecord, workflowsClient } from './client.ts';
import { runsClient } from './runs-client.ts';
import { prepareStarts } from './starting.ts';

const tenants = await setUpTenants();
const { product, admin, head, otherRep } = tenants;
const runs = await prepareRuns(tenants);
const starts = await prepareStarts(tenants);
const notifier = notifierIn(product, admin.organizationId);

const newWorkflow = (owner: Person, graph: object) =>
  workflowsClient(product, owner).created({ enabled: true, ...graph });

/** The last step of a run that goes on until it ends. */
async function lastStep(runId: string) {
  await runs.advance(runId);
  const last = (await runs.stepRecords(runId)).at(-1);
  return { status: last?.status, ...(last?.reason && { reason: last.reason }) };
}

const problems = async ({ token }: Person, { _id: id }: WorkflowRecord): Promise<string[]> => {
  const { data } = await arrange(product.call('check-workflow', { token, path: { id } }));
  return data.problems.map(({ message }: { message: string }) => message);
};

async function departmentsOf({ userId }: Person): Promise<string[]> {
  const { data } = await arrange(product.call('list-users', { token: admin.token }));
  return data.find(({ _id }: { _id: string }) => _id === userId).departmentIds;
}

const passed = { status: 'passed' };

describe('A workflow that somebody else changed last, and whose owner gets a higher role', () => {
  const planted = () => inARow([{ type: 'assign', data: { userId: head.userId } }], 'contact.created');
  const promote = ({ userId: id }: Person, body: object) =>
    arrange(product.call('update-user', { token: admin.token, path: { id }, body }));
  const newContact = async ({ token }: Person): Promise<string> => {
    const body = { firstName: 'Hidden' };
    return (await arrange(product.call('create-contact', { token, body }))).data._id;
  };
  const contactOf = async (id: string) =>
    (await arrange(product.call('read-contact', { token: admin.token, path: { id } }))).data;
  const newMember = async () =>
    product.newColleague(admin, 'SALES_REP', { departmentIds: await departmentsOf(head) });

  /** What the workflows of the organization do when a new contact of this person is there. */
  async function runsFor(person: Person): Promise<string[]> {
    const contactId = await newContact(person);
    await starts.tell();
    const begun = (await starts.runs(contactId)).map(({ _id }) => _id);
    for (const runId of begun) {
      await runs.advance(runId);
    }
    return (await contactOf(contactId)).owner === head.userId ? ['assigned'] : begun;
  }

  test('It goes on with the earlier rights, and `check`, the response and a notification say so, until the owner saves it', async () => {
    const member = await newMember();
    const { _id } = await workflowsClient(product, member).created({
      ...planted(),
      name: 'Planted',
      enabled: true,
    });
    const workflow = { _id } as WorkflowRecord;
    await arrange(
      workflowsClient(product, head).update(_id, { ...planted(), settings: { reentry: 'always' } }),
    );
    expect(await problems(head, workflow)).toEqual([]);
    const { message } = await promote(member, { accessRole: 'ADMIN' });
    expect(message).toBe(
      'User updated. 1 workflow that somebody else changed last keeps the earlier rights of the user until the user or an ADMIN saves it: Planted',
    );
    expect(await runsFor(otherRep)).toEqual([]);
    expect(await runsFor(member)).toEqual(['assigned']);
    expect(await problems(member, workflow)).toEqual([
      expect.stringMatching(/acts with the earlier rights of its owner/),
    ]);
    await notifier.take();
    const { data } = await arrange(product.call('list-notifications', { token: member.token }));
    expect(data).toMatchObject([
      {
        type: 'automation',
        title: '1 of your workflows keeps your earlier rights',
        message: 'Somebody else changed it last. Check it, and save it to confirm it: Planted',
      },
    ]);
    const confirmed = await arrange(workflowsClient(product, member).update(_id, planted()));
    expect(confirmed.message).toBe('Workflow updated. It now acts with all rights of its owner');
    expect(await runsFor(otherRep)).toEqual(['assigned']);
    expect(await problems(member, workflow)).toEqual([]);
    await arrange(workflowsClient(product, member).remove(_id));
  });

  const kept =
    /^User updated\. 1 workflow that somebody else changed last keeps the earlier rights .*: Asleep$/;
  const widened = 'It now acts with all rights of its owner';
  const asleep = /^This workflow gets all rights of its owner when it is enabled: somebody else changed it/;

  test('A disabled one is named by the promotion, by `check`, and by the response to the owner who enables it', async () => {
    const member = await newMember();
    const client = workflowsClient(product, member);
    const workflow = await client.created({ name: 'Asleep', enabled: false });
    await arrange(workflowsClient(product, head).update(workflow._id, planted()));
    expect((await promote(member, { accessRole: 'ADMIN' })).message).toMatch(kept);
    await arrange(client.update(workflow._id, { description: 'Mine' }));
    expect(await problems(member, workflow)).toEqual([expect.stringMatching(asleep)]);
    const enabled = await arrange(client.toggle(workflow._id, { enabled: true }));
    expect(enabled.message).toBe(`Workflow enabled. ${widened}`);
    expect(enabled.data).not.toHaveProperty('most');
    expect(await problems(member, workflow)).toEqual([]);
    expect(await runsFor(otherRep)).toEqual(['assigned']);
    await arrange(client.remove(workflow._id));
  });

  test('One that is changed while it is disabled is named as well, and the owner who saves it as it is confirms it', async () => {
    const member = await newMember();
    const client = workflowsClient(product, member);
    const workflow = await client.created({ ...planted(), name: 'Asleep', enabled: true });
    await arrange(client.toggle(workflow._id, { enabled: false }));
    const changes = { settings: { reentry: 'always' } };
    await arrange(workflowsClient(product, head).update(workflow._id, changes));
    expect((await promote(member, { accessRole: 'ADMIN' })).message).toMatch(kept);
    expect(await problems(member, workflow)).toEqual([expect.stringMatching(asleep)]);
    expect((await arrange(client.update(workflow._id, changes))).message).toBe(
      `Workflow updated. ${widened}`,
    );
    expect(await problems(member, workflow)).toEqual([]);
    const enabled = await arrange(client.toggle(workflow._id, { enabled: true }));
    expect(enabled.message).toBe('Workflow enabled');
    await arrange(client.remove(workflow._id));
  });

  test('A disabled one that the owner has saved before the promotion, as it was, is not named', async () => {
    const member = await newMember();
    const client = workflowsClient(product, member);
    const { _id } = await client.created({ enabled: false });
    await arrange(workflowsClient(product, head).update(_id, planted()));
    await arrange(client.update(_id, planted()));
    expect((await promote(member, { accessRole: 'ADMIN' })).message).toBe('User updated');
    const enabled = await arrange(client.toggle(_id, { enabled: true }));
    expect(enabled.message).toBe('Workflow enabled');
    await arrange(client.remove(_id));
  });

  test('More departments of a head count like a higher role', async () => {
    const [own, other] = [await departmentsOf(head), await departmentsOf(tenants.otherHead)];
    const owner = await product.newColleague(admin, 'DEPARTMENT_HEAD', { departmentIds: own });
    const far = await product.newColleague(admin, 'SALES_REP', { departmentIds: other });
    const { _id } = await newWorkflow(owner, planted());
    await arrange(workflowsClient(product, head).update(_id, { settings: { reentry: 'always' } }));
    await promote(owner, { departmentIds: [...own, ...other] });
    expect(await runsFor(far)).toEqual([]);
    expect(await runsFor(owner)).toEqual(['assigned']);
    await arrange(workflowsClient(product, admin).toggle(_id, { enabled: false }));
    await arrange(workflowsClient(product, admin).toggle(_id, { enabled: true }));
    expect(await runsFor(far)).toEqual(['assigned']);
    await arrange(workflowsClient(product, admin).remove(_id));
  });

  test('A run under way keeps them as well, and starts no workflow of the owner that has the wider rights', async () => {
    const member = await newMember();
    const client = workflowsClient(product, member);
    const note = { type: 'addNote', data: { note: 'Hello' } };
    const own = await newWorkflow(member, { ...inARow([note]), settings: { reentry: 'always' } });
    const starting = inARow([{ type: 'startWorkflow', data: { workflowId: own._id } }]);
    const { _id } = await newWorkflow(member, inARow([note]));
    await arrange(workflowsClient(product, head).update(_id, starting));
    const contactId = await newContact(member);
    const begin = async () =>
      (await arrange(runsClient(product, member).run(_id, { contactId }))).data.runs[0].runId;
    expect(await lastStep(await begin())).toEqual(passed);
    const underway = await begin();
    await promote(member, { accessRole: 'ADMIN' });
    expect(await lastStep(underway)).toEqual({
      ...{ status: 'failed' },
      reason: expect.stringMatching(
        /^This workflow acts with the rights of its owner, which are wider than yours/,
      ),
    });
    await arrange(client.update(_id, starting));
    expect(await lastStep(await begin())).toEqual(passed);
  });

  test('However a change by a head and the higher role of the owner meet, the change gets no higher rights', async () => {
    const rounds = Array.from({ length: 6 }, async () => {
      const member = await newMember();
      const { _id } = await newWorkflow(member, { nodes: [], edges: [] });
      const [change] = await Promise.all([
        workflowsClient(product, head).update(_id, planted()),
        promote(member, { accessRole: 'ADMIN' }),
      ]);
      expect([200, 403]).toContain(change.status);
      return _id;
    });
    const ids = await Promise.all(rounds);
    expect(await runsFor(otherRep)).toEqual([]);
    for (const id of ids) {
      await arrange(workflowsClient(product, admin).remove(id));
    }
  });

  test('What only the owner or an ADMIN has changed gets the new rights at once', async () => {
    const member = await newMember();
    const [own, ofAdmin] = [await newWorkflow(member, planted()), await newWorkflow(member, planted())];
    await arrange(workflowsClient(product, admin).update(ofAdmin._id, { settings: { reentry: 'always' } }));
    expect((await promote(member, { accessRole: 'ADMIN' })).message).toBe('User updated');
    expect(await problems(member, own)).toEqual([]);
    expect(await problems(member, ofAdmin)).toEqual([]);
    expect(await runsFor(otherRep)).toEqual(['assigned']);
    for (const { _id } of [own, ofAdmin]) {
      await arrange(workflowsClient(product, admin).remove(_id));
    }
  });
});
