import { expect, test } from 'vitest';
import { after, minute } from '../../../shared/kernel/time.ts';
import { setUpTenants } from '../../harness/fixtures.ts';
import { arrange } from '../../harness/tenants.ts';
import { inARow, prepareRuns } from '../advancing.ts';

const tenants = await setUpTenants();
const { product, rep, foreignAdmin, newContact } = tenants;
const runs = await prepareRuns(tenants);

const nobody = foreignAdmin.userId;

/** Steps that name what is not there, and the words of their stepRecords. */
const steps: readonly (readonly [string, Record<string, unknown>, string])[] = [
  ['assign', { userId: nobody }, 'user_gone'],
  ['assign', { userId: '{{event.by}}' }, 'user_gone'],
  ['assign', { userId: 'no id at all' }, 'user_gone'],
  ['updateContact', { set: { owner: nobody } }, 'user_gone'],
  ['updateContact', { set: { assignees: [rep.userId, nobody] } }, 'user_gone'],
  ['notifyUser', { userId: nobody, message: 'Look' }, 'user_gone'],
  ['addNote', { note: 'Look', mentions: [rep.userId, nobody] }, 'user_gone'],
  ['moveStage', { stage: 'Nowhere' }, 'stage_gone'],
  ['moveStage', { stage: 'Won', pipelineId: 'nowhere' }, 'pipeline_gone'],
  ['createApplication', { name: 'Loan', stage: 'Nowhere' }, 'stage_gone'],
  ['createApplication', { name: 'Loan', pipelineId: 'nowhere' }, 'pipeline_gone'],
  ['moveApplication', { stage: 'Nowhere' }, 'stage_gone'],
  ['moveApplication', { stage: 'Approved', pipelineId: 'nowhere' }, 'pipeline_gone'],
  ['startWorkflow', { workflowId: 'nowhere' }, 'workflow_gone'],
  ['sendMessage', { template: 'nowhere' }, 'template_gone'],
  ['createReminder', { note: 'Call', remindAt: '{{contact.customFields.none}}' }, 'no_date'],
  ['createReminder', { note: 'Call', remindAt: '{{firstName}}' }, 'no_date'],
];

const told = ({
  nodeId,
  status,
  reason,
}: {
  nodeId: string;
  status: string;
  reason?: string | undefined;
}) => ({
  nodeId,
  status,
  ...(reason !== undefined && { reason }),
});

test('A step that names what is gone is skipped with a word for it, in a simulation and in a run, and the run goes on', async () => {
  const { _id: contactId } = await newContact();
  const call = (name: string, body: object, path = {}) =>
    arrange(product.call(name, { token: rep.token, body, path }));
  await call('create-application', { contactId, name: 'Account' });
  const event = { by: nobody };
  const nodes = steps.map(([type, data]) => ({ type, data }));
  const workflow = await runs.newWorkflow(
    inARow([...nodes, { type: 'addTags', data: { tags: ['arrived'] } }]),
  );
  const expected = [
    { nodeId: 'trigger', status: 'passed' },
    ...steps.map(([, , reason], index) => ({ nodeId: `n${index + 1}`, status: 'skipped', reason })),
    { nodeId: `n${steps.length + 1}`, status: 'passed' },
  ];

  const { data } = await call(
    'simulate-workflow',
    { topic: 'manual.started', contactId, event },
    { id: workflow._id },
  );
  expect(data.path.map(told)).toEqual(expected);

  const at = new Date();
  const runId = await runs.start(workflow, contactId, { at, event });
  await runs.advance(runId, after(at, minute));
  expect((await runs.stepRecords(runId)).map(told)).toEqual(expected);
  expect(await runs.run(runId)).toMatchObject({ status: 'finished' });
});

test('A step whose id, address or number is empty, or filled with nothing, names none, and is not skipped', async () => {
  const { _id: contactId } = await newContact({ email: 'ada@example.com', assignees: [rep.userId] });
  const sets = [
    { email: '', phoneNumbers: [{ value: '' }], assignees: [''] },
    { email: '{{event.none}}', owner: '{{event.none}}', assignees: ['{{event.none}}', rep.userId] },
  ];
  const workflow = await runs.newWorkflow(
    inARow(sets.map((set) => ({ type: 'updateContact', data: { set } }))),
  );
  const runId = await runs.start(workflow, contactId);
  await runs.advance(runId);
  expect((await runs.stepRecords(runId)).map(told).slice(1)).toEqual([
    { nodeId: 'n1', status: 'passed' },
    { nodeId: 'n2', status: 'passed' },
  ]);
  const { token } = rep;
  const { data } = await arrange(product.call('read-contact', { token, path: { id: contactId } }));
  expect(data).toMatchObject({ email: null, phoneNumbers: [], owner: null, assignees: [rep.userId] });
});
