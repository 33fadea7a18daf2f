import { expect, test } from 'vitest';
import { occurrencesOf } from '../../functions/workflows/model/topics/occurrences.ts';
import { topicFields } from '../../functions/workflows/model/topics/topic-fields.ts';
import { type Occurrence, type Topic, topics } from '../../functions/workflows/model/topics/topics.ts';
import { eventsIn } from '../calls/events.ts';
import { newCallSid, newVoiceClient } from '../calls/reports.ts';
import { setUpWorld } from '../harness/fixtures.ts';
import type { Call, Person } from '../harness/product.ts';
import { arrange, newPhoneNumber } from '../harness/world.ts';
import { outgoingOf } from '../messages/outgoing.ts';
import { callbackQuery, statusClient } from '../messages/status-client.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient, newLead } from '../outreach/leads-client.ts';
import { reminderRuns } from '../reminders/reminder-runs.ts';

const { product, admin, rep, head, newContact } = await setUpWorld();
const sms = await newWebhookClient(product, admin, rep);
const voice = await newVoiceClient(product, admin, rep);
const leads = leadsClient(product, admin);
const outgoing = await outgoingOf(product);
const report = statusClient(product);
const reminders = reminderRuns(product);

const call = async (name: string, more: Call = {}, by: Person = rep) =>
  (await arrange(product.call(name, { token: by.token, ...more }))).data;

type Fields = Readonly<Record<string, unknown>>;
type Told = readonly [Topic, Fields];

/** What workflows learn of, from what this does, in the order of the events. */
async function toldBy(act: () => Promise<unknown>): Promise<Occurrence[]> {
  const before = new Set((await eventsIn(product, admin)).map(({ id }) => id));
  await act();
  const events = (await eventsIn(product, admin)).filter(({ id }) => !before.has(id));
  const told = events.flatMap(occurrencesOf);
  const names = told.map(({ topic, eventId }) => `${topic} ${eventId}`);
  expect(names).toEqual([...new Set(names)]);
  for (const { topic, fields } of told) {
    const documented = topicFields[topic].map(({ name }) => name);
    expect(Object.keys(fields).filter((name) => !documented.includes(name))).toEqual([]);
  }
  return told;
}

const some = (fields: Fields) => expect.objectContaining(fields);

/** A contact with a number, and a text from it. */
async function newWriter(more: Fields = {}) {
  const from = newPhoneNumber();
  const contact = await newContact({ phoneNumbers: [{ value: from }], ...more });
  return { contactId: contact._id, from, writes: (Body: string) => arrange(sms.text({ From: from, Body })) };
}

/** A contact in conversation; the conversation. */
async function newConversation() {
  const writer = await newWriter();
  const { conversationId } = (await writer.writes('Hello')).data;
  return { ...writer, conversationId };
}

const application = async (contactId: string) =>
  call('create-application', { body: { contactId, name: 'Trade account', customFields: { limit: 5 } } });

const inboundCall = () => {
  const [CallSid, From] = [newCallSid(), newPhoneNumber()];
  const reports = async (CallStatus: string, more: Fields = {}) =>
    (await arrange(voice.report({ CallSid, From, CallStatus, ...more }))).data;
  return { From, reports };
};

/** A text that waits to be sent. */
async function queuedText() {
  const { contactId } = await newWriter();
  const { _id: messageId, conversationId } = await call('send-message', {
    body: { contactId, content: 'Shall we?' },
  });
  return { messageId, conversationId, send: () => outgoing.tellAll(rep) };
}

/** A text that the provider has taken, which it then reports on. */
async function sentText() {
  const text = await queuedText();
  await text.send();
  const { statusPath = '' } = product.sentMessages.find(({ id }) => id === text.messageId) ?? {};
  const { data } = (
    await product.call('list-messages', {
      token: rep.token,
      path: { id: text.conversationId },
    })
  ).body;
  const MessageSid: string = data[0].providerMessageId;
  const reported = (MessageStatus: string) =>
    arrange(report({ MessageSid, MessageStatus, ErrorCode: '30003' }, { query: callbackQuery(statusPath) }));
  return { ...text, reported };
}

/** What one thing that people or providers do tells workflows: exactly this, each once. */
const cases: Partial<Record<Topic, () => Promise<{ act: () => Promise<unknown>; told: readonly Told[] }>>> = {
  'contact.created': async () => ({
    act: () => newContact({ source: 'Fair', tags: ['vip'] }),
    told: [
      [
        'contact.created',
        some({ stage: 'New', source: 'Fair', owner: rep.userId, tags: ['vip'], isBulkImport: false }),
      ],
    ],
  }),
  'contact.updated': async () => {
    const { _id: id } = await newContact();
    return {
      act: () =>
        call('update-contact', { path: { id }, body: { lastName: 'King', customFields: { city: 'Ely' } } }),
      told: [['contact.updated', some({ contactId: id, changed: ['lastName', 'customFields'] })]],
    };
  },
  'contact.deleted': async () => {
    const { _id: id } = await newContact();
    return {
      act: () => call('delete-contact', { path: { id } }),
      told: [['contact.deleted', { contactId: id, at: expect.any(String) }]],
    };
  },
  'contact.stage_changed': async () => {
    const { _id: id } = await newContact();
    return {
      act: () => call('move-contact', { path: { id }, body: { stage: 'Won' } }),
      told: [['contact.stage_changed', some({ contactId: id, fromStage: 'New', stage: 'Won' })]],
    };
  },
  'contact.assigned': async () => {
    const { _id: id } = await newContact();
    const body = { owner: head.userId, assignees: [rep.userId] };
    const userIds = [head.userId, rep.userId];
    return {
      act: () => call('update-contact', { path: { id }, body }),
      told: [
        ['contact.updated', some({ changed: ['owner', 'assignees'] })],
        ['contact.assigned', some({ contactId: id, userId: head.userId, userIds, ...body })],
      ],
    };
  },
  'contact.tag_added': async () => {
    const { _id: id } = await newContact({ tags: ['old', 'kept'] });
    return {
      act: () => call('update-contact', { path: { id }, body: { tags: ['kept', 'vip', 'speaker'] } }),
      told: [
        ['contact.updated', some({ changed: ['tags'] })],
        ['contact.tag_added', some({ contactId: id, tag: 'vip' })],
        ['contact.tag_added', some({ contactId: id, tag: 'speaker' })],
      ],
    };
  },
  'contact.opted_out': async () => {
    const { writes, contactId, from } = await newWriter();
    await writes('Hello');
    return {
      act: () => writes('STOP'),
      told: [
        ['contact.updated', some({ changed: ['consent'] })],
        ['contact.opted_out', some({ contactId, source: 'keyword' })],
        ['message.received', some({ text: 'STOP', from })],
      ],
    };
  },
  'contact.opted_in': async () => {
    const { _id: id } = await newContact();
    await call('update-consent', { path: { id }, body: { sms: 'out' } });
    return {
      act: () => call('update-consent', { path: { id }, body: { sms: 'in' } }),
      told: [
        ['contact.updated', some({ changed: ['consent'] })],
        ['contact.opted_in', some({ contactId: id, source: 'user' })],
      ],
    };
  },
  'application.created': async () => {
    const { _id: contactId } = await newContact();
    return {
      act: () => application(contactId),
      told: [
        [
          'application.created',
          some({ contactId, name: 'Trade account', stage: 'Submitted', customFields: { limit: 5 } }),
        ],
      ],
    };
  },
  'application.stage_changed': async () => {
    const { _id: contactId } = await newContact();
    const { _id: id } = await application(contactId);
    return {
      act: () => call('move-application', { path: { id }, body: { stage: 'Approved' } }),
      told: [
        [
          'application.stage_changed',
          some({ applicationId: id, name: 'Trade account', fromStage: 'Submitted', stage: 'Approved' }),
        ],
      ],
    };
  },
  'application.deleted': async () => {
    const { _id: contactId } = await newContact();
    const { _id: id } = await application(contactId);
    return {
      act: () => call('delete-application', { path: { id } }),
      told: [
        ['application.deleted', some({ applicationId: id, name: 'Trade account', fromStage: 'Submitted' })],
      ],
    };
  },
  'conversation.created': async () => {
    const { writes, contactId, from } = await newWriter();
    return {
      act: () => writes('Hello'),
      told: [
        [
          'message.received',
          some({ contactId, text: 'Hello', from, to: sms.phoneNumber, direction: 'inbound' }),
        ],
        ['conversation.created', some({ contactId, channel: 'sms', userId: rep.userId })],
      ],
    };
  },
  'conversation.assigned': async () => {
    const { conversationId: id } = await newConversation();
    return {
      act: () => call('update-conversation', { path: { id }, body: { assignees: [head.userId] } }),
      told: [['conversation.assigned', some({ conversationId: id, channel: 'sms', userIds: [head.userId] })]],
    };
  },
  'conversation.resolved': async () => {
    const { conversationId: id } = await newConversation();
    return {
      act: () => call('update-conversation', { path: { id }, body: { isResolved: true } }),
      told: [['conversation.resolved', some({ conversationId: id, channel: 'sms' })]],
    };
  },
  'conversation.reopened': async () => {
    const { conversationId: id, writes } = await newConversation();
    await call('update-conversation', { path: { id }, body: { isResolved: true } });
    return {
      act: () => writes('One more thing'),
      told: [
        ['message.received', some({ text: 'One more thing' })],
        ['conversation.reopened', some({ conversationId: id })],
      ],
    };
  },
  'message.received': async () => {
    const { writes, contactId, from } = await newConversation();
    return {
      act: () => writes('Hello again'),
      told: [['message.received', some({ contactId, text: 'Hello again', from, to: sms.phoneNumber })]],
    };
  },
  'message.sent': async () => {
    const { messageId, send } = await queuedText();
    return {
      act: send,
      told: [
        ['message.sent', some({ messageId, text: 'Shall we?', direction: 'outbound', userId: rep.userId })],
      ],
    };
  },
  'message.delivered': async () => {
    const { messageId, reported } = await sentText();
    return {
      act: () => reported('delivered'),
      told: [['message.delivered', some({ messageId, status: 'delivered' })]],
    };
  },
  'message.failed': async () => {
    const { messageId, reported } = await sentText();
    return {
      act: () => reported('undelivered'),
      told: [['message.failed', some({ messageId, code: '30003', reason: expect.any(String) })]],
    };
  },
  'call.initiated': async () => {
    const { From, reports } = inboundCall();
    return {
      act: () => reports('ringing'),
      told: [
        ['contact.created', some({ source: 'Incoming Call' })],
        ['call.initiated', some({ direction: 'inbound', from: From, to: voice.phoneNumber })],
        ['conversation.created', some({ channel: 'voice' })],
      ],
    };
  },
  'call.answered': async () => {
    const { reports } = inboundCall();
    const { callId } = await reports('ringing');
    return {
      act: () => reports('in-progress'),
      told: [['call.answered', some({ callId, status: 'answered', userId: rep.userId })]],
    };
  },
  'call.ended': async () => {
    const { reports } = inboundCall();
    const { callId } = await reports('in-progress');
    return {
      act: () => reports('completed', { CallDuration: '42' }),
      told: [['call.ended', some({ callId, status: 'completed', duration: expect.any(Number) })]],
    };
  },
  'call.missed': async () => {
    const { reports } = inboundCall();
    const { callId } = await reports('ringing');
    return {
      act: () => reports('no-answer'),
      told: [
        ['call.ended', some({ callId, status: 'no-answer' })],
        ['call.missed', some({ callId, textOutcome: 'skipped', textReason: expect.any(String) })],
      ],
    };
  },
  'note.created': async () => {
    const { _id: contactId } = await newContact();
    return {
      act: () => call('create-note', { body: { contactId, note: 'Wants a **quote**' } }),
      told: [
        ['note.created', some({ contactId, note: 'Wants a **quote**', userId: rep.userId, mentions: [] })],
      ],
    };
  },
  'note.mentioned': async () => {
    const { _id: contactId } = await newContact();
    const { _id: id } = await call('create-note', { body: { contactId, note: 'Hello' } });
    return {
      act: () => call('edit-note', { path: { id }, body: { mentions: [head.userId] } }),
      told: [
        ['note.mentioned', some({ noteId: id, note: 'Hello', userId: rep.userId, mentions: [head.userId] })],
      ],
    };
  },
  'reminder.due': async () => {
    const { _id: contactId } = await newContact();
    const at = reminders.nextTime();
    const { _id: reminderId } = await reminders.remind(rep, contactId, at, 'Call back');
    return {
      act: () => reminders.run(at),
      told: [['reminder.due', some({ contactId, reminderId, note: 'Call back', userId: rep.userId })]],
    };
  },
  'lead.received': async () => {
    const { _id: configurationId } = await leads.configure({ source: 'Spring', createApplication: true });
    const lead = newLead();
    return {
      act: () => leads.sent(configurationId, lead),
      told: [
        ['contact.created', some({ source: 'Spring' })],
        [
          'lead.received',
          some({ configurationId, isNew: true, firstName: 'Ada', phone: lead.phoneNumber, source: 'Spring' }),
        ],
        ['conversation.created', some({ channel: 'sms' })],
        ['application.created', some({ stage: 'Submitted' })],
      ],
    };
  },
};

/** Those that workflows themselves bring about. */
const ofWorkflows: readonly Topic[] = ['run.failed', 'manual.started'];

test('Every topic has a case', () => {
  expect([...Object.keys(cases), ...ofWorkflows].sort()).toEqual([...topics].sort());
});

test.each(Object.entries(cases))('%s is told once by what brings it about', async (_, prepare) => {
  const { act, told } = await prepare();
  const occurrences = await toldBy(act);
  expect(occurrences.map(({ topic, fields }) => [topic, fields])).toEqual(told);
  const contacts = new Set(occurrences.map(({ contactId }) => contactId));
  expect([...contacts]).toEqual([expect.any(String)]);
});

test('A call, a message and a note change no field of the contact, and an update that changes nothing tells nothing', async () => {
  const { writes, contactId } = await newConversation();
  const told = await toldBy(async () => {
    await writes('Hello again');
    await call('create-note', { body: { contactId, note: 'Hello' } });
    await call('send-message', { body: { contactId, content: 'Hello' } });
    await call('update-contact', { path: { id: contactId }, body: { lastName: 'Person' } });
  });
  expect(told.map(({ topic }) => topic)).toEqual(['message.received', 'note.created']);
});

test('A reminder is told also when nobody wants to be notified of it', async () => {
  const { _id: contactId } = await newContact();
  const at = reminders.nextTime();
  const user = await product.newColleague(admin, 'ADMIN');
  await call('update-notification-preferences', { body: { reminders: false } }, user);
  await reminders.remind(user, contactId, at);
  const told = await toldBy(() => reminders.run(at));
  expect(told.map(({ topic, fields }) => [topic, fields.userId])).toEqual([['reminder.due', user.userId]]);
});

test('What an event tells is the same at each delivery', async () => {
  const events = await eventsIn(product, admin);
  expect(events.flatMap(occurrencesOf)).toEqual(events.flatMap(occurrencesOf));
  expect(JSON.stringify(events.flatMap(occurrencesOf))).toContain('contact.created');
});
