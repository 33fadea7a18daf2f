import { expect } from 'vitest';
import type { Topic } from '../../functions/workflows/model/definition/topics.ts';
import { newLead } from '../outreach/leads-client.ts';
import type { Fields, TopicActors } from './topic-actors.ts';

interface TopicCase {
  act(): Promise<unknown>;
  readonly told: readonly (readonly [Topic, Fields])[];
}

const some = (fields: Fields) => expect.objectContaining(fields);

/** What one thing that people or providers do tells workflows: exactly this, each once. */
export const topicCases = ({
  rep,
  head,
  otherRep,
  sms,
  voice,
  leads,
  reminders,
  call,
  newContact,
  newWriter,
  newConversation,
  application,
  inboundCall,
  queuedText,
  sentText,
}: TopicActors): Partial<Record<Topic, () => Promise<TopicCase>>> => ({
  'contact.created': async () => ({
    act: () => newContact({ source: 'Fair', tags: ['vip'] }),
    told: [
      [
        'contact.created',
        some({ stage: 'New', source: 'Fair', owner: rep.userId, tags: ['vip'], isBulkImport: false }),
      ],
      ['contact.assigned', some({ userId: rep.userId, userIds: [rep.userId], owner: rep.userId })],
      ['contact.tag_added', some({ tag: 'vip' })],
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
  'contact.merged': async () => {
    const [{ _id: id }, { _id: from }] = [await newContact(), await newContact()];
    return {
      act: () => call('merge-contact', { path: { id }, body: { from } }),
      told: [['contact.merged', { contactId: id, mergedContactId: from, at: expect.any(String) }]],
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
        ['contact.assigned', some({ userId: rep.userId })],
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
    const mentions = [head.userId, otherRep.userId];
    return {
      // One of them sees the contact, the other does not.
      act: () => call('edit-note', { path: { id }, body: { mentions } }),
      told: [['note.mentioned', some({ noteId: id, note: 'Hello', userId: rep.userId, mentions })]],
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
        ['application.created', some({ stage: 'Submitted' })],
        [
          'lead.received',
          some({
            ...{ configurationId, isNew: true, changed: true, applicationId: expect.any(String) },
            ...{ firstName: 'Ada', phone: lead.phoneNumber, source: 'Spring' },
          }),
        ],
        ['conversation.created', some({ channel: 'sms' })],
      ],
    };
  },
});
