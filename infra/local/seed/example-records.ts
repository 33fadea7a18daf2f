import createApplication from '../../../functions/applications/create-application.ts';
import createNote from '../../../functions/notes/create-note.ts';
import createReminder from '../../../functions/reminders/create-reminder.ts';
import createTrainingSnapshot from '../../../functions/training/create-training-snapshot.ts';
import { primaryNumber } from '../../../shared/contacts/contact.ts';
import type { Message } from '../../../shared/conversations/conversation.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { undelivered } from '../../../shared/kernel/providers/sms-outcomes.ts';
import { after, day, hour, minute, timestamp } from '../../../shared/kernel/time.ts';
import { type SentMessage, sentMessageKey } from '../../../shared/messages/sent-message.ts';
import { reportsTakenFor } from '../../../shared/organizations/phone-assignments.ts';
import { digestOf } from '../../../shared/table/digest.ts';
import { makeCall, missCall } from './calls.ts';
import { converse } from './correspondence.ts';
import { writeContact } from './history.ts';
import { tellOfAssignment, tellOfMessage } from './notifications.ts';
import type { Past } from './past.ts';
import { dialogues } from './phrases.ts';
import type { SeedContact } from './seed-contacts.ts';

/** The part of a record's id that `newId` must return: the rest of it is the id of the contact. */
const ownPart = (id: string) => id.slice(0, demo.ada.length);

/** The phone number of the rep. */
const repNumber = '+12025550142';

const unheard = ['outbound', 'Hello {first}, {user} from Bluebird here. Are you in today?'] as const;

/** The first message was not delivered; the provider has not reported on the second one yet. */
function asInExamples([first, ...others]: readonly Message[]): Message[] {
  const second = others.find(({ direction }) => direction === 'outbound');
  const { deliveredAt: _, ...failed } = first ?? ({} as Message);
  const { deliveredAt: __, ...sent } = second ?? ({} as Message);
  return [
    {
      ...failed,
      _id: demo.failedMessage,
      status: 'undelivered',
      failure: undelivered('30003'),
      from: repNumber,
    },
    ...others.map((message) =>
      message === second
        ? { ...sent, status: 'sent' as const, providerMessageId: demo.sentMessageSid, from: repNumber }
        : message,
    ),
  ];
}

/** Writes the history of Ada Lovelace, whom the examples of the documentation are about: everything in the last two hours. */
export async function writeHistoryOfAda(past: Past, ada: SeedContact): Promise<void> {
  const contactId = ada._id;
  const number = primaryNumber(ada.fields.phoneNumbers ?? []) ?? '';
  const ago = (milliseconds: number) => after(past.now, -milliseconds);
  const sms = {
    _id: demo.conversation,
    channel: 'sms',
    dialogue: [unheard, ...(dialogues.sms[0]?.slice(0, 3) ?? [])],
    start: ago(hour).getTime(),
    end: ago(15 * minute).getTime(),
    isResolved: false,
  } as const;
  let messages: readonly Message[] = [];
  const conversations = await writeContact(past, ada, (entered) => {
    const told = converse(entered, [sms], [demo.rep], past.random);
    messages = asInExamples(told.messages);
    return { ...told, messages };
  });
  const sent: SentMessage = {
    organizationId: demo.organization,
    contactId,
    conversationId: demo.conversation,
    messageId: messages.find((one) => one.providerMessageId === demo.sentMessageSid)?._id ?? '',
    from: repNumber,
  };
  const key = sentMessageKey(digestOf(demo.sentMessageSid));
  await past.platform.commit([past.platform.put(key, sent, { expiresAt: after(past.now, reportsTakenFor) })]);
  await tellOfAssignment(past, contactId, demo.rep, ago(100 * minute));
  for (const conversation of conversations) {
    await tellOfMessage(past, conversation);
  }
  await makeCall(past, {
    direction: 'outbound',
    by: demo.rep,
    at: ago(90 * minute),
    number,
    ending: { status: 'completed', seconds: 260 },
    ids: [ownPart(demo.endedCall)],
  });
  for (const { _id, ...application } of [
    { _id: demo.application, name: 'Trade account', customFields: { limit: 5_000 } },
    { _id: demo.spareApplication, name: 'Showroom loan' },
  ]) {
    const body = { contactId, ...application };
    await past.run(createApplication, { at: ago(80 * minute), by: demo.rep, body, ids: [ownPart(_id)] });
  }
  // The examples are tried as the admin, and only the author of a note may edit it.
  const byAdmin = { at: ago(10 * minute), by: demo.admin };
  for (const { _id, note } of [
    { _id: demo.note, note: 'Prefers to be called in the morning.' },
    { _id: demo.spareNote, note: 'Has asked for the price list twice.' },
  ]) {
    await past.run(createNote, { ...byAdmin, body: { contactId, note }, ids: [ownPart(_id)] });
  }
  const reminder = { contactId, note: 'Send the contract', remindAt: timestamp(after(past.now, 3 * day)) };
  await past.run(createReminder, { ...byAdmin, body: reminder, ids: [ownPart(demo.spareReminder)] });
  await past.run(createTrainingSnapshot, {
    ...byAdmin,
    body: {
      contactId,
      conversationId: demo.conversation,
      quality: 'good',
      category: 'First contact',
      tags: ['quick', 'friendly'],
    },
    ids: [ownPart(demo.spareSnapshot)],
  });
  await makeCall(past, {
    direction: 'inbound',
    by: demo.rep,
    at: ago(minute),
    number,
    ending: undefined,
    ids: [ownPart(demo.callUnderWay)],
  });
  await makeCall(past, {
    direction: 'outbound',
    by: demo.rep,
    at: ago(minute / 2),
    number,
    ending: undefined,
    ids: [ownPart(demo.outboundCall)],
  });
}

/** Calls with unknown numbers: each creates a contact. The contact of the first is deleted when its call is discarded. */
export async function callUnknownNumbers(past: Past): Promise<void> {
  await makeCall(past, {
    direction: 'outbound',
    by: demo.rep,
    at: after(past.now, -8 * day),
    number: '+13035550160',
    ending: { status: 'no-answer', seconds: 30 },
    ids: [ownPart(demo.placeholderCall), demo.placeholderContact],
  });
  await makeCall(past, {
    direction: 'inbound',
    by: demo.olena,
    at: after(past.now, -9 * day),
    number: '+13035550161',
    ending: { status: 'completed', seconds: 95 },
  });
  await missCall(past, { by: demo.rep, at: after(past.now, -8 * day - hour), number: '+13035550162' });
}
