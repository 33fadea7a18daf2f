import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { planKey } from '../../functions/workflows/model/definition/plan-row.ts';
import { workflowKey } from '../../functions/workflows/model/definition/workflow.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/world.ts';
import { notifierOf } from '../notifications/notifier.ts';
import { inARow, runsOf } from './advancing.ts';
import { type WorkflowRecord, workflowsClient } from './client.ts';
import { runsClient } from './runs-client.ts';
import { startsOf } from './starting.ts';

const world = await setUpWorld();
const { product, admin, head, rep, stranger } = world;
const runs = await runsOf(world);
const starts = await startsOf(world);
const notifier = notifierOf(product, admin.organizationId);

const welcome = 'Hi {{firstName}}, when may we call you?';
const evil = 'Pay at http://evil.example {{lastName}}';

const newTemplate = async ({ token }: Person, more: Record<string, unknown> = {}): Promise<string> => {
  const body = { name: 'Welcome', template: welcome, type: 'sms', isShared: true, ...more };
  return (await arrange(product.call('create-template', { token, body }))).data._id;
};
const changed = ({ token }: Person, id: string, body: Record<string, unknown>) =>
  arrange(product.call('update-template', { token, path: { id }, body }));
const sending = (template: string) => inARow([{ type: 'sendMessage', data: { template } }]);
const newWorkflow = (owner: Person, graph: object) =>
  workflowsClient(product, owner).created({ enabled: true, ...graph });

/** A run that somebody starts and that has not taken a step yet. */
async function started(by: Person, { _id }: WorkflowRecord): Promise<string> {
  const { _id: contactId } = await world.newContact();
  const response = await arrange(runsClient(product, by).run(_id, { contactId }));
  return response.data.runs[0].runId;
}

/** The last step of a run that goes on until it ends. */
async function lastStep(runId: string) {
  await runs.advance(runId);
  const last = (await runs.stepRecords(runId)).at(-1);
  return { status: last?.status, ...(last?.reason && { reason: last.reason }) };
}

/** The last step of a new run of this workflow. */
const sent = async (by: Person, workflow: WorkflowRecord) => lastStep(await started(by, workflow));

const problems = async ({ token }: Person, { _id: id }: WorkflowRecord): Promise<string[]> => {
  const { data } = await arrange(product.call('check-workflow', { token, path: { id } }));
  return data.problems.map(({ message }: { message: string }) => message);
};

/** Leaves the first plan of a workflow as earlier versions stored it, which confirmed nothing. It must not have been read before. */
async function asOfEarlierVersion({ _id }: WorkflowRecord): Promise<void> {
  const { table } = product.tableOf(admin.organizationId);
  const [header, row] = await Promise.all([table.read(workflowKey(_id)), table.read(planKey(_id, 1))]);
  if (header?.data.plan === undefined || row === undefined) {
    throw new Error('The workflow has no plan');
  }
  const { confirmed: _, ...state } = header.data.plan;
  const { confirmed: __, ...plan } = JSON.parse(gunzipSync(row.attributes?.bytes as Uint8Array).toString());
  await table.commit([
    table.replace(header, { ...header.data, plan: state }),
    table.put(planKey(_id, 1), row.data, { bytes: gzipSync(JSON.stringify(plan)) }),
  ]);
}

const passed = { status: 'passed' };
const skipped = { status: 'skipped', reason: 'template_changed' };
const templateProblem = /^template: The text of the template ".*" was changed/;

/** An ADMIN of the head's department, whose workflows the head sees. */
let boss: Person;

async function departmentsOf({ userId }: Person): Promise<string[]> {
  const { data } = await arrange(product.call('list-users', { token: admin.token }));
  return data.find(({ _id }: { _id: string }) => _id === userId).departmentIds;
}

beforeAll(async () => {
  boss = await product.newColleague(admin, 'ADMIN', { departmentIds: await departmentsOf(head) });
});

describe('A template in the workflow of somebody with wider rights', () => {
  test('A text that its maker has changed since is not sent: the step is skipped, and `check` says so', async () => {
    const template = await newTemplate(rep);
    const workflow = await newWorkflow(boss, sending(template));
    const [before, underway] = [await started(boss, workflow), await started(boss, workflow)];
    expect(await lastStep(before)).toEqual(passed);
    expect(await problems(boss, workflow)).toEqual([]);
    await changed(rep, template, { template: evil });
    expect(await lastStep(underway)).toEqual(skipped);
    expect(await sent(boss, workflow)).toEqual(skipped);
    expect(await problems(boss, workflow)).toEqual([expect.stringMatching(templateProblem)]);
    const path = { id: workflow._id };
    const simulate = { token: boss.token, path, body: { topic: 'manual.started' } };
    const { data } = await arrange(product.call('simulate-workflow', simulate));
    expect(data.path.at(-1)).toMatchObject(skipped);
    expect(product.sentMessages.map(({ content }) => content).join()).not.toContain('evil');
  });

  test('Its name, its category and the former text once it is back leave the workflow as it was', async () => {
    const template = await newTemplate(rep);
    const workflow = await newWorkflow(boss, sending(template));
    await changed(rep, template, { name: 'Hello', category: 'First' });
    expect(await sent(boss, workflow)).toEqual(passed);
    await changed(rep, template, { template: evil });
    await changed(rep, template, { template: welcome });
    expect(await sent(boss, workflow)).toEqual(passed);
  });

  test('A text that the owner of the workflow or an ADMIN has changed is sent at once', async () => {
    const template = await newTemplate(rep);
    const [ofBoss, ofRep] = [
      await newWorkflow(boss, sending(template)),
      await newWorkflow(rep, sending(template)),
    ];
    await changed(rep, template, { template: `${welcome} 2` });
    expect(await sent(rep, ofRep)).toEqual(passed);
    await changed(admin, template, { template: `${welcome} 3` });
    expect(await sent(boss, ofBoss)).toEqual(passed);
    expect(await sent(rep, ofRep)).toEqual(passed);
  });

  test('An ADMIN who saves the template with its text confirms it, for runs under way as well', async () => {
    const template = await newTemplate(rep);
    const workflow = await newWorkflow(boss, sending(template));
    const run = await started(boss, workflow);
    await changed(rep, template, { template: `${welcome} 2` });
    await changed(admin, template, { name: 'Looked at' });
    expect(await sent(boss, workflow)).toEqual(skipped);
    await changed(admin, template, { template: `${welcome} 2` });
    expect(await lastStep(run)).toEqual(passed);
  });

  test('The owner who saves the graph as it is confirms the text; `running=move` brings along the runs under way', async () => {
    const template = await newTemplate(rep);
    const graph = sending(template);
    const workflow = await newWorkflow(boss, graph);
    const [one, other] = [await started(boss, workflow), await started(boss, workflow)];
    await changed(rep, template, { template: `${welcome} 2` });
    await arrange(workflowsClient(product, head).update(workflow._id, graph));
    expect(await sent(boss, workflow)).toEqual(skipped);
    await arrange(workflowsClient(product, boss).update(workflow._id, graph));
    expect(await problems(boss, workflow)).toEqual([]);
    expect(await sent(boss, workflow)).toEqual(passed);
    expect(await lastStep(one)).toEqual(skipped);
    await arrange(workflowsClient(product, boss).update(workflow._id, {}, { query: { running: 'move' } }));
    expect(await lastStep(other)).toEqual(passed);
  });

  test('To disable it and enable it again confirms the text', async () => {
    const template = await newTemplate(rep);
    const workflow = await newWorkflow(boss, sending(template));
    await changed(rep, template, { template: `${welcome} 2` });
    await arrange(workflowsClient(product, boss).toggle(workflow._id));
    await arrange(workflowsClient(product, boss).toggle(workflow._id));
    expect(await sent(boss, workflow)).toEqual(passed);
  });

  test('Whoever confirms a changed text by saving or enabling the workflow reads so in the response', async () => {
    const template = await newTemplate(rep, { name: 'Offer' });
    const graph = sending(template);
    const client = workflowsClient(product, boss);
    const { _id } = await newWorkflow(boss, graph);
    await changed(rep, template, { template: `${welcome} 2` });
    const saved = await arrange(client.update(_id, graph));
    expect(saved.message).toBe('Workflow updated. It now sends the changed text of: Offer');
    await changed(rep, template, { template: `${welcome} 3` });
    await arrange(client.toggle(_id, { enabled: false }));
    const enabled = await arrange(client.toggle(_id, { enabled: true }));
    expect(enabled.message).toBe('Workflow enabled. It now sends the changed text of: Offer');
    await changed(admin, template, { template: `${welcome} 4` });
    const settings = { reentry: 'always' };
    expect((await arrange(client.update(_id, { settings }))).message).toBe('Workflow updated');
  });

  test('A template that is shared only after the workflow was saved is not sent', async () => {
    const template = await newTemplate(rep, { isShared: false });
    const workflow = await newWorkflow(boss, sending(template));
    await changed(rep, template, { isShared: true });
    expect(await sent(boss, workflow)).toEqual(skipped);
  });

  test('To share it, as it is or again, vouches for nothing: a text of somebody else stays theirs', async () => {
    const template = await newTemplate(rep);
    const workflow = await newWorkflow(boss, sending(template));
    await changed(rep, template, { template: evil });
    await changed(admin, template, { isShared: true });
    expect(await sent(boss, workflow)).toEqual(skipped);
    await changed(rep, template, { isShared: false });
    await changed(rep, template, { isShared: true });
    await changed(admin, template, { isShared: true, name: 'Looked at' });
    expect(await sent(boss, workflow)).toEqual(skipped);
  });

  test('A workflow that an earlier version stored sends no text that somebody without the rights of its owner writes now', async () => {
    const [kept, planted] = [await newTemplate(admin), await newTemplate(rep)];
    const ofKept = await newWorkflow(boss, sending(kept));
    const ofPlanted = await newWorkflow(boss, sending(planted));
    await asOfEarlierVersion(ofKept);
    await asOfEarlierVersion(ofPlanted);
    await changed(rep, planted, { template: evil });
    expect(await sent(boss, ofKept)).toEqual(passed);
    expect(await sent(boss, ofPlanted)).toEqual(skipped);
    expect(await problems(boss, ofKept)).toEqual([]);
    expect(await problems(boss, ofPlanted)).toEqual([expect.stringMatching(templateProblem)]);
    await arrange(workflowsClient(product, boss).update(ofPlanted._id, sending(planted)));
    expect(await sent(boss, ofPlanted)).toEqual(passed);
  });

  test('Those who may change the workflow may change its texts: a head those of a member, but not those of an ADMIN', async () => {
    const template = await newTemplate(head);
    const [ofRep, ofBoss] = [
      await newWorkflow(rep, sending(template)),
      await newWorkflow(boss, sending(template)),
    ];
    await changed(head, template, { template: `${welcome} 2` });
    expect(await sent(rep, ofRep)).toEqual(passed);
    expect(await problems(rep, ofRep)).toEqual([]);
    expect(await sent(boss, ofBoss)).toEqual(skipped);
  });
});

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

  /** What the workflows of the world do when a new contact of this person is there. */
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
    expect(await runsFor(stranger)).toEqual([]);
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
    expect(await runsFor(stranger)).toEqual(['assigned']);
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
    expect(await runsFor(stranger)).toEqual(['assigned']);
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
    const [own, other] = [await departmentsOf(head), await departmentsOf(world.otherHead)];
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
    expect(await runsFor(stranger)).toEqual([]);
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
    expect(await runsFor(stranger)).toEqual(['assigned']);
    for (const { _id } of [own, ofAdmin]) {
      await arrange(workflowsClient(product, admin).remove(_id));
    }
  });
});
