import { beforeAll, expect, test } from 'vitest';
import { toProgress } from '../../functions/messages/model/progress.ts';
import { recordProgress } from '../../functions/messages/model/record-progress.ts';
import { readAggregate, toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { messageKey } from '../../shared/conversations/conversation.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import type { SmsOutcome } from '../../shared/kernel/providers/sms-provider.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { after, hour, minute, timestamp } from '../../shared/kernel/time.ts';
import { newMessage } from '../../shared/messages/new-message.ts';
import { newTextingOrganization } from '../calls/missed-call-client.ts';
import { contactsClient } from '../contacts/client.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { organizationsClient } from '../organizations/client.ts';
import { prepareScheduled } from './scheduled-client.ts';
import { newSid, webhookClient } from './webhook-client.ts';

/**
 * Decisions 6: “`answered`: the last message is an outbound one that did not fail and is no automatic text, `unanswered`: it is inbound”.
 * What failed, and what nobody wrote, is as if it had not been sent.
 */

const product = await setUpProduct();
const { admin, voice } = await newTextingOrganization(product);
const { token, organizationId } = admin;
const contacts = contactsClient(product, admin);
const webhook = webhookClient(product, voice.phoneNumber);
const begin = after(new Date(), -0.5 * hour);
beforeAll(() =>
  arrange(organizationsClient(product, admin)('update-organization', { helpMessage: 'We are Bluebird.' })),
);

const { clock, ports } = newInvocation(systemRuntime, {
  ...product.providers,
  objects: await product.objects.provider('downloads'),
});
const uses = { organizations: 'write', platform: 'write', objects: 'downloads' } as const;
const { organizations, platform, objects } = ports(uses, undefined) as Ports<typeof uses>;
const table = organizations(organizationId);

/** A contact, and what happens between it and the organization: a minute passes between each two things. */
async function newDialogue() {
  const number = newPhoneNumber();
  const { _id: contactId } = await contacts.created(
    { firstName: 'Ada', phoneNumbers: [{ value: number }] },
    begin,
  );
  const replies: { id: string; conversationId: string; sid: string }[] = [];
  let minutes = 0;
  const next = () => {
    minutes += 1;
    return after(begin, minutes * minute);
  };
  const text = (Body: string, at = next()) =>
    arrange(webhook.text({ From: number, Body, MessageSid: newSid() }, { at }));
  const sent = async (response: ReturnType<typeof product.call>) => {
    const { data } = expectStatus(await response, 201);
    replies.push({ id: data._id, conversationId: data.conversationId, sid: newSid() });
  };
  const send = (more: object = {}) =>
    sent(product.call('send-message', { token, body: { contactId, content: 'Yes', ...more }, at: next() }));
  const progress = async (index: number, outcome: SmsOutcome | { status: 'delivered' | 'read' }) => {
    const { id: messageId, conversationId, sid } = replies.at(index) as (typeof replies)[number];
    const recording = { table, platform, downloads: objects(organizationId), ...clock };
    const all = { ...toProgress(outcome as SmsOutcome, timestamp(clock.now)), providerMessageId: sid };
    await recordProgress(recording, { contactId, conversationId, messageId }, all);
  };
  const failure = { code: '30007', reason: 'The carrier refused it.' };

  const steps: Record<string, (index: number) => Promise<unknown>> = {
    in: () => text('Are you there?'),
    'late in': () => text('Are you there?', after(begin, 1)),
    HELP: () => text('HELP'),
    out: () => send(),
    later: () => send({ sendAt: after(new Date(), 2 * hour).toISOString() }),
    automatic: () => arrange(voice.report({ From: number, CallStatus: 'no-answer' }, { at: next() })),
    sent: (index) => progress(index, { status: 'sent', providerMessageId: replies.at(index)?.sid ?? '' }),
    delivered: (index) => progress(index, { status: 'delivered' }),
    read: (index) => progress(index, { status: 'read' }),
    failed: (index) => progress(index, { status: 'failed', ...failure }),
    undelivered: (index) => progress(index, { status: 'undelivered', ...failure } as never),
    'opted out': (index) => progress(index, { status: 'failed', ...failure, code: '21610' }),
    deleted: (index) =>
      arrange(
        product.call('delete-message', { token, path: { id: replies.at(index)?.id ?? '' }, at: next() }),
      ),
    retried: (index) =>
      sent(product.call('retry-message', { token, path: { id: replies.at(index)?.id ?? '' }, at: next() })),
    workflow: async () => {
      const aggregate = await readAggregate(table, contactId);
      if (aggregate === undefined) {
        throw new Error('The contact is gone');
      }
      const at = timestamp(next());
      const ids = { conversation: clock.newId(), message: clock.newId() };
      const causedBy = { workflowId: 'w', runId: 'r', depth: 1 } as never;
      const { state, message } = newMessage(
        toContactState(aggregate),
        {
          ...{ direction: 'outbound', content: 'Hello', attachments: [], status: 'queued' },
          ...{ sentBy: admin.userId, providerMessageId: null, from: null, causedBy },
        },
        { owner: null },
        ids,
        at,
      );
      await table.commit([
        ...contactWrites(table, aggregate, state),
        table.add(messageKey(message.conversationId, message._id), message),
      ]);
      replies.push({ id: message._id, conversationId: message.conversationId, sid: newSid() });
    },
  };
  return {
    contactId,
    replies,
    /** `failed -2`: the last text of a person or a workflow but one. */
    async happens(step: string) {
      const [, name = '', index = '-1'] = /^(\D+?)(?: (-?\d+))?$/.exec(step) ?? [];
      await steps[name]?.(Number(index));
    },
  };
}

async function statusOf(contactId: string) {
  const found = async (messageStatus: string) =>
    (await contacts.everything({ messageStatus })).some(({ _id }) => _id === contactId);
  const [answered, unanswered] = [await found('answered'), await found('unanswered')];
  return answered && unanswered ? 'both' : answered ? 'answered' : unanswered ? 'unanswered' : 'neither';
}

test.each<[string, string[], string]>([
  ['Not delivered, and then read after all', ['in', 'out', 'undelivered', 'read'], 'answered'],
  ['The provider refused it for an opt-out', ['in', 'out', 'opted out'], 'unanswered'],
  ['The help message alone', ['HELP'], 'unanswered'],
  ['The help message, and a reply', ['HELP', 'out'], 'answered'],
  ['A missed call that was answered by a text', ['automatic'], 'neither'],
  ['The same after the contact had written', ['in', 'automatic'], 'unanswered'],
  ['The same after a reply', ['in', 'out', 'automatic'], 'answered'],
  ['The same, and then the reply failed', ['in', 'out', 'automatic', 'failed'], 'unanswered'],
  ['The reply was deleted before it was sent', ['in', 'out', 'deleted'], 'unanswered'],
  ['The second of two was deleted', ['in', 'out', 'out', 'deleted'], 'answered'],
  [
    'The first of two was deleted, the second failed',
    ['in', 'out', 'out', 'deleted -2', 'failed'],
    'unanswered',
  ],
  ['A reply from before the last message failed', ['in', 'out', 'in', 'out', 'failed -2'], 'answered'],
  ['The reply failed and was sent again', ['in', 'out', 'failed', 'retried'], 'answered'],
  ['That failed, too', ['in', 'out', 'failed', 'retried', 'failed'], 'unanswered'],
  ['The reply is scheduled', ['in', 'later'], 'unanswered'],
  ['The reply was scheduled and deleted', ['in', 'later', 'deleted'], 'unanswered'],
  ['A message of before the reply arrived late', ['in', 'out', 'late in'], 'answered'],
  ['The reply then failed', ['in', 'out', 'late in', 'failed'], 'unanswered'],
  ['A message arrived late, and nothing else', ['automatic', 'late in'], 'unanswered'],
])('%s: %j is %s', async (_, steps, expected) => {
  const { contactId, happens } = await newDialogue();
  for (const step of steps) {
    await happens(step);
  }
  expect(await statusOf(contactId)).toBe(expected);
});

test('A scheduled text is a reply once it is sent, to all that came in until then, and none if it fails', async () => {
  const scheduled = await prepareScheduled(product);
  const time = scheduled.nextTime();
  const { contactId, happens } = await newDialogue();
  await happens('in');
  const body = { contactId, content: 'Yes', sendAt: time.toISOString() };
  const { data } = expectStatus(await product.call('send-message', { token, body }), 201);
  expect(await statusOf(contactId)).toBe('unanswered');
  await happens('in');
  await scheduled.run(after(time, minute));
  expect(await statusOf(contactId)).toBe('answered');
  const recording = { table, platform, downloads: objects(organizationId), ...clock };
  const outcome = { status: 'failed', code: '30007', reason: 'The carrier refused it.' } as const;
  const place = { contactId, conversationId: data.conversationId, messageId: data._id };
  await recordProgress(recording, place, toProgress(outcome, timestamp(clock.now)));
  expect(await statusOf(contactId)).toBe('unanswered');
});

test('Of replies that fail at the same time, and while the contact writes, each is taken back once', async () => {
  for (const [together, expected] of [
    [['failed', 'failed -2', 'undelivered -3'], 'unanswered'],
    [['failed', 'failed', 'failed'], 'answered'],
    [['failed', 'in', 'failed -2'], 'unanswered'],
    [['undelivered', 'out', 'failed -3', 'failed -2'], 'answered'],
  ] as const) {
    const { contactId, happens } = await newDialogue();
    for (const step of ['in', 'out', 'out', 'out']) {
      await happens(step);
    }
    await Promise.all(together.map(happens));
    expect(await statusOf(contactId), together.join()).toBe(expected);
  }
});
