import { newCallSid, newVoiceClient } from '../calls/reports.ts';
import type { Call } from '../harness/call.ts';
import type { Person } from '../harness/product.ts';
import { arrange, newPhoneNumber, type Tenants } from '../harness/tenants.ts';
import { prepareOutgoing } from '../messages/outgoing.ts';
import { callbackQuery, statusClient } from '../messages/status-client.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { reminderRuns } from '../reminders/reminder-runs.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type TopicActors = Awaited<ReturnType<typeof topicActorsIn>>;

/** Those who bring about what workflows learn of: people, callers, those who write texts, and the provider that reports. */
export async function topicActorsIn({ product, admin, rep, head, otherRep, newContact }: Tenants) {
  const sms = await newWebhookClient(product, admin, rep);
  const voice = await newVoiceClient(product, admin, rep);
  const leads = leadsClient(product, admin);
  const outgoing = await prepareOutgoing(product);
  const report = statusClient(product);
  const reminders = reminderRuns(product);

  const call = async (name: string, more: Call = {}, by: Person = rep) =>
    (await arrange(product.call(name, { token: by.token, ...more }))).data;

  /** A contact with a number, and a text from it. */
  async function newWriter(more: Fields = {}) {
    const from = newPhoneNumber();
    const contact = await newContact({ phoneNumbers: [{ value: from }], ...more });
    return {
      contactId: contact._id,
      from,
      writes: (Body: string) => arrange(sms.text({ From: from, Body })),
    };
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
      arrange(
        report({ MessageSid, MessageStatus, ErrorCode: '30003' }, { query: callbackQuery(statusPath) }),
      );
    return { ...text, reported };
  }

  return {
    ...{ rep, head, otherRep, sms, voice, leads, reminders, call, newContact },
    ...{ newWriter, newConversation, application, inboundCall, queuedText, sentText },
  };
}
