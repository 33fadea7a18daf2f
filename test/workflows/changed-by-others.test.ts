import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { planKey } from '../../functions/workflows/model/definition/plan-row.ts';
import { workflowKey } from '../../functions/workflows/model/definition/workflow.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange } from '../harness/tenants.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { type WorkflowRecord, workflowsClient } from './client.ts';
import { runsClient } from './runs-client.ts';

const tenants = await setUpTenants();
const { product, admin, head, rep } = tenants;
const runs = await prepareRuns(tenants);

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
  const { _id: contactId } = await tenants.newContact();
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
