import { expect, test } from 'vitest';
import { recordedId } from '../../shared/ports/sms-recorder.ts';
import type { Call } from '../harness/call.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { tableStream } from '../harness/table-stream.ts';
import { arrange, newPhoneNumber } from '../harness/tenants.ts';
import { prepareOutgoing } from '../messages/outgoing.ts';
import { callbackQuery, statusClient } from '../messages/status-client.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { inARow, prepareRuns } from './advancing.ts';
import { prepareStarts } from './starting.ts';

const tenants = await setUpTenants();
const { product, admin, rep, newContact } = tenants;
const { text, phoneNumber } = await newWebhookClient(product, admin, rep, { isDefault: true });
const starts = await prepareStarts(tenants);
const runs = await prepareRuns(tenants);
const outgoing = await prepareOutgoing(product);
const stream = await tableStream(product);

const call = async (name: string, more: Call = {}) =>
  (await arrange(product.call(name, { token: rep.token, ...more }))).data;

/** Lets everything happen that follows from what was done, until nothing more does. */
async function settle(onSent: (to: string) => Promise<unknown> = async () => undefined): Promise<void> {
  for (;;) {
    await stream.settle();
    const before = product.sentMessages.length;
    const texts = product.queues.outgoingTexts.take();
    await outgoing.deliver(texts);
    for (const { to } of product.sentMessages.slice(before)) {
      await onSent(to);
    }
    const isDone = texts.length === 0 && product.queues.workflowRuns.waiting.length === 0;
    await runs.deliverAll();
    if (isDone) {
      return;
    }
  }
}

/** The workflows of other tests do nothing. */
async function withWorkflows<Name extends string>(
  graphs: Readonly<Record<Name, object>>,
  act: (workflows: Record<Name, { readonly _id: string }>) => Promise<void>,
): Promise<void> {
  const made: [string, { _id: string }][] = [];
  for (const [name, graph] of Object.entries(graphs)) {
    made.push([name, await starts.newWorkflow(graph as object)]);
  }
  await act(Object.fromEntries(made) as Record<Name, { _id: string }>);
  for (const [, { _id: id }] of made) {
    await call('toggle-workflow', { path: { id }, body: { enabled: false } });
  }
}

const statistics = (id: string) => call('read-workflow-statistics', { path: { id } });
const stepsOf = async (contactId: string) => {
  const { data } = await arrange(
    product.call('list-runs-of-contact', { token: rep.token, path: { id: contactId } }),
  );
  return (data as { workflowId: string; status: string; steps: { type: string; status: string }[] }[])
    .flatMap(({ steps }) => steps)
    .filter(({ type, status }) => type !== 'trigger' && status === 'passed');
};

const renaming = [{ type: 'updateContact', data: { set: { lastName: 'Number {{event.at}}' } } }];

test('A workflow that triggers itself runs once: the second run is refused, with the chain', async () => {
  await withWorkflows({ self: inARow(renaming, 'contact.updated') }, async ({ self }) => {
    const { _id: contactId } = await newContact();
    await call('update-contact', { path: { id: contactId }, body: { firstName: 'Ada' } });
    await settle();
    expect(await stepsOf(contactId)).toHaveLength(1);
    expect(await statistics(self._id)).toMatchObject({
      refused: { loop_guard: 1 },
      lastRefusals: [{ reason: 'loop_guard', contactId, chain: [self._id] }],
    });
  });
});

test('One that may always run again stops after six runs that caused each other', async () => {
  const graph = { ...inARow(renaming, 'contact.updated'), settings: { reentry: 'always' } };
  await withWorkflows({ self: graph }, async ({ self }) => {
    const { _id: contactId } = await newContact();
    await call('update-contact', { path: { id: contactId }, body: { firstName: 'Ada' } });
    await settle();
    expect(await stepsOf(contactId)).toHaveLength(6);
    expect(await statistics(self._id)).toMatchObject({
      refused: { loop_guard: 1 },
      lastRefusals: [{ reason: 'loop_guard', contactId, chain: Array.from({ length: 6 }, () => self._id) }],
    });
  });
});

test('Two workflows that trigger each other run once each', async () => {
  const moving = (from: string, to: string) => {
    const { nodes, edges } = inARow([{ type: 'moveStage', data: { stage: to } }], 'contact.stage_changed');
    const filter = [{ field: 'event.stage', operator: 'equals', value: from }];
    return {
      edges,
      nodes: nodes.map((node) =>
        node.type === 'trigger' ? { ...node, data: { ...node.data, filter } } : node,
      ),
    };
  };
  const graphs = { there: moving('Won', 'Lost'), back: moving('Lost', 'Won') };
  await withWorkflows(graphs, async ({ there, back }) => {
    const { _id: contactId } = await newContact();
    await call('move-contact', { path: { id: contactId }, body: { stage: 'Won' } });
    await settle();
    expect(await stepsOf(contactId)).toHaveLength(2);
    expect(await statistics(there._id)).toMatchObject({
      refused: { loop_guard: 1 },
      lastRefusals: [{ reason: 'loop_guard', contactId, chain: [there._id, back._id] }],
    });
    expect(await statistics(back._id)).toMatchObject({ refused: {}, lastRefusals: [] });
  });
});

test('A workflow that answers its own texts, because they come back, sends five in an hour', async () => {
  const graph = inARow([{ type: 'sendMessage', data: { content: 'Thank you!' } }], 'message.received');
  await withWorkflows({ echo: graph }, async ({ echo }) => {
    const From = newPhoneNumber();
    await newContact({ phoneNumbers: [{ value: From }] });
    const sent = () => product.sentMessages.filter(({ to }) => to === From);
    await arrange(text({ From, Body: 'Hello' }));
    await settle((to) => (to === From ? arrange(text({ From, Body: 'Thank you!' })) : Promise.resolve()));
    expect(sent()).toHaveLength(5);
    expect(sent().every(({ from }) => from === phoneNumber)).toBe(true);
    const { nodes } = await statistics(echo._id);
    expect(nodes).toContainEqual(
      expect.objectContaining({ nodeId: 'n1', passed: 5, skipped: { rate_of_contact: 1 } }),
    );
  });
});

test('A workflow that follows the sending of texts does not follow its own', async () => {
  const graph = inARow([{ type: 'sendMessage', data: { content: 'Did you get it?' } }], 'message.sent');
  await withWorkflows({ nudge: graph }, async ({ nudge }) => {
    const to = newPhoneNumber();
    const { _id: contactId } = await newContact({ phoneNumbers: [{ value: to }] });
    await call('send-message', { body: { contactId, content: 'Here is our offer' } });
    await settle();
    expect(product.sentMessages.filter((message) => message.to === to)).toHaveLength(2);
    expect(await statistics(nudge._id)).toMatchObject({
      refused: { loop_guard: 1 },
      lastRefusals: [{ reason: 'loop_guard', contactId, chain: [nudge._id] }],
    });
  });
});

test('A workflow that follows texts that failed does not follow one of its own that somebody sends again', async () => {
  const report = statusClient(product);
  const graph = inARow([{ type: 'sendMessage', data: { content: 'Try again' } }], 'message.failed');
  await withWorkflows({ again: graph }, async ({ again }) => {
    const to = newPhoneNumber();
    const { _id: contactId } = await newContact({ phoneNumbers: [{ value: to }] });
    const sent = () => product.sentMessages.filter((message) => message.to === to);
    const fail = async () => {
      await settle();
      const { id = '', statusPath = '' } = sent().at(-1) ?? {};
      const failed = { MessageSid: recordedId(id), MessageStatus: 'failed' };
      await arrange(report(failed, { query: callbackQuery(statusPath) }));
      await settle();
      return id;
    };
    await call('send-message', { body: { contactId, content: 'Here is our offer' } });
    await fail();
    expect(sent()).toHaveLength(2);
    const own = await fail();
    await call('retry-message', { path: { id: own } });
    await fail();
    expect(sent()).toHaveLength(3);
    const refusal = { reason: 'loop_guard', contactId, chain: [again._id] };
    expect(await statistics(again._id)).toMatchObject({
      refused: { loop_guard: 2 },
      lastRefusals: [refusal, refusal],
    });
  });
});
