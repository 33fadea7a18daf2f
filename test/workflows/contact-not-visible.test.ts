import { expect, test } from 'vitest';
import { after, day } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { prepareRuns } from './advancing.ts';
import { graphWith, manual, simulationsIn } from './simulating.ts';
import { prepareStarts } from './starting.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep } = tenants;
const { text } = await newWebhookClient(product, admin, rep);
const starts = await prepareStarts(tenants);
const runs = await prepareRuns(tenants);
const { simulated } = simulationsIn(tenants);

const asAdmin = async (name: string, more: object) =>
  (await arrange(product.call(name, { token: admin.token, ...more }))).data;

/** A contact that the rep, who owns the workflows, sees only as its owner. */
const newContact = async (fields: object = {}): Promise<string> =>
  (
    await asAdmin('create-contact', {
      body: { firstName: 'Ada', owner: rep.userId, phoneNumbers: [{ value: newPhoneNumber() }], ...fields },
    })
  )._id;

const giveAway = (contactId: string) =>
  asAdmin('update-contact', { path: { id: contactId }, body: { owner: otherRep.userId } });

const vip = [{ field: 'contact.tags', operator: 'equals', value: 'vip' }];
const wait = { type: 'delay', data: { value: 1, unit: 'days' } };
const timeout = { value: 3, unit: 'days' };

/** Steps that go by what they read of the contact. */
const deciding = {
  condition: { type: 'condition', data: { rules: vip } },
  switch: { type: 'switch', data: { field: 'contact.source', cases: ['Fair'] } },
  until: { type: 'waitUntil', data: { field: 'contact.customFields.renewal' } },
  assign: { type: 'assign', data: { userId: '{{contact.customFields.agent}}' } },
  notify: { type: 'notifyUser', data: { userId: '{{contact.customFields.agent}}', message: 'Hello' } },
  application: { type: 'moveApplication', data: { stage: 'Approved' } },
  conversation: { type: 'resolveConversation', data: {} },
};
const inTurn = Object.keys(deciding);
const throughAll = (first: string) =>
  inTurn.flatMap((name, index) => {
    const before = inTurn[index - 1] ?? first;
    return [`${before} ${name}`, `${before} error ${name}`];
  });

const told = (steps: readonly { nodeId: string; status: string; way?: string; reason?: string }[]) =>
  Object.fromEntries(
    steps
      .filter(({ nodeId }) => inTurn.includes(nodeId))
      .map(({ nodeId, status, way, reason }) => [nodeId, [status, way, reason].filter(Boolean).join(' ')]),
  );

test('A run whose owner no longer sees the contact reveals nothing of it: it goes the same way whatever the contact is like', async () => {
  const graph = graphWith({ trigger: manual, wait, ...deciding }, ['trigger wait', ...throughAll('wait')]);
  const workflow = await runs.newWorkflow(graph);
  const plain = await newContact();
  const rich = await newContact({
    ...{ tags: ['vip'], source: 'Fair' },
    customFields: { renewal: '2099-01-01', agent: otherRep.userId },
  });
  await asAdmin('create-application', { body: { contactId: rich, name: 'Loan' } });
  await asAdmin('send-message', { body: { contactId: rich, content: 'Welcome' } });
  const paths: object[] = [];
  for (const contactId of [plain, rich]) {
    const start = new Date();
    const runId = await runs.start(workflow, contactId, { at: start });
    await runs.advance(runId, start);
    await giveAway(contactId);
    await runs.advance(runId, after(start, 2 * day));
    paths.push(told(await runs.stepRecords(runId)));
  }
  expect(paths[0]).toEqual({
    condition: 'skipped contact_not_visible',
    switch: 'skipped contact_not_visible',
    until: 'skipped contact_not_visible',
    assign: 'failed error Contact not found',
    notify: 'failed error Contact not found',
    application: 'failed error Application not found',
    conversation: 'failed Conversation not found',
  });
  expect(paths[1]).toEqual(paths[0]);
});

test('What the event of a run says is known to its owner, whoever sees the contact now', async () => {
  const graph = graphWith(
    { trigger: manual, wait, condition: { type: 'condition', data: { rules: [isSpring] } } },
    ['trigger wait', 'wait condition'],
  );
  const contactId = await newContact();
  const start = new Date();
  const runId = await runs.start(await runs.newWorkflow(graph), contactId, {
    at: start,
    event: { season: 'spring' },
  });
  await runs.advance(runId, start);
  await giveAway(contactId);
  await runs.advance(runId, after(start, 2 * day));
  expect(told(await runs.stepRecords(runId))).toEqual({ condition: 'passed true' });
});

const isSpring = { field: 'event.season', operator: 'equals', value: 'spring' };

test.each([
  [
    'waits for an event',
    { answer: { type: 'waitForEvent', data: { event: 'message.received', timeout } } },
    {},
  ],
  ['has a goal', { wait }, { goal: { event: 'message.received' } }],
  ['stops on a reply', { wait }, { stopOnReply: true }],
])('A run that %s hears nothing of a contact that its owner no longer sees', async (_, node, settings) => {
  const [name = ''] = Object.keys(node);
  const graph = graphWith({ trigger: manual, ...node }, [`trigger ${name}`]);
  const workflow = await starts.newWorkflow({ ...graph, settings });
  const received: unknown[] = [];
  for (const isGivenAway of [true, false]) {
    const From = newPhoneNumber();
    const contactId = await newContact({ phoneNumbers: [{ value: From }] });
    const runId = await runs.start(workflow, contactId, { endedBy: ['message.received'] });
    await runs.advance(runId);
    if (isGivenAway) {
      await giveAway(contactId);
    }
    await starts.newRecords();
    await arrange(text({ From, Body: 'Yes' }));
    received.push((await starts.deliver(await starts.newRecords())).received);
  }
  expect(received).toEqual([0, 1]);
});

test('A simulation shows the same, from the step on by which the owner loses sight of the contact', async () => {
  const graph = graphWith(
    {
      trigger: manual,
      away: { type: 'assign', data: { userId: otherRep.userId } },
      answer: { type: 'waitForEvent', data: { event: 'message.received', timeout } },
      missed: { type: 'stop' },
      ...deciding,
    },
    [
      'trigger away',
      'away answer',
      'answer timeout condition',
      'answer received missed',
      ...throughAll('answer'),
    ],
  );
  const contactId = await newContact({ tags: ['vip'], source: 'Fair' });
  const { path } = await simulated(graph, { contactId, decisions: { answer: 'received' } });
  expect(path.find(({ way }: { way?: string }) => way === 'received')).toBe(undefined);
  expect(told(path)).toMatchObject({
    condition: 'skipped contact_not_visible',
    switch: 'skipped contact_not_visible',
    assign: 'failed error Contact not found',
    conversation: 'failed Conversation not found',
  });
});
