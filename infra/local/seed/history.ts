import createReminder from '../../../functions/reminders/create-reminder.ts';
import createTrainingSnapshot from '../../../functions/training/create-training-snapshot.ts';
import type { ContactState } from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { withConsent } from '../../../shared/contacts/consent.ts';
import { moved, newContact } from '../../../shared/contacts/contact.ts';
import { currentPipelines } from '../../../shared/contacts/known-pipelines.ts';
import { initialStages, type Pipeline } from '../../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../../shared/contacts/stages.ts';
import { type Conversation, type Message, messageKey } from '../../../shared/conversations/conversation.ts';
import { readPositionKey } from '../../../shared/conversations/read-position.ts';
import { qualities } from '../../../shared/conversations/snapshot.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day, hour, minute, timestamp } from '../../../shared/kernel/time.ts';
import { apply } from './applications.ts';
import { makeCalls } from './calls.ts';
import { converse, type Exchange, exchangesUntil, type Told } from './correspondence.ts';
import { newsSpan, tellOfMessage } from './notifications.ts';
import { receiveLeads } from './outreach.ts';
import type { Past } from './past.ts';
import { optOut } from './phrases.ts';
import { responsibleUser, type SeedContact } from './seed-contacts.ts';

const subjects = [
  'Ask whether the offer arrived',
  'Send the contract',
  'Call back about the price',
  'Congratulate on the new office',
];

/** Writes the history of a contact from its creation until now, except its notes. */
export async function writeHistory(past: Past, seedContact: SeedContact): Promise<void> {
  const { random, now } = past;
  const { configurationId, lastMessage, optsOut = false } = seedContact;
  const exchanges = [
    ...(lastMessage === undefined || optsOut ? [] : exchangesUntil(lastMessage, seedContact, random)),
    ...(optsOut ? [optOutAfter(seedContact)] : []),
  ];
  const conversations =
    configurationId === undefined
      ? await writeContact(past, seedContact, (entered, pipelines) => {
          const told = converse(entered, exchanges, lastMessage?.assignees ?? [], random);
          const state = apply(told.state, pipelines, now, random);
          return { ...told, state: optsOut ? optedOut(state) : state };
        })
      : await receiveLeads(past, seedContact, configurationId);
  await makeCalls(past, seedContact, conversations);
  await remind(past, seedContact);
  for (const conversation of conversations) {
    await keep(past, responsibleUser(seedContact), conversation);
    await tellOfMessage(past, conversation);
  }
}

/**
 * Writes the contact with its messages and applications in one transaction of the product's own writes. Operations would take 2,000 more
 * requests, and none of them writes messages of the past: text messages go to the provider. Resolves with the conversations.
 */
export async function writeContact(
  past: Past,
  { _id: contactId, createdAt, createdBy: userId, fields, move }: SeedContact,
  since: (entered: ContactState, pipelines: readonly Pipeline[]) => Told,
): Promise<readonly Conversation[]> {
  const organizationId = demo.organization;
  const table = past.table(organizationId);
  const { pipelines } = (await currentPipelines(table)).data;
  const placeAt = (stage: number) =>
    requestedStage(pipelines, 'Contact', { stage: initialStages.Contact[stage] });
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  const created = newContact(contactId, creator, placeAt(0), fields, timestamp(createdAt));
  const contact = move === undefined ? created : moved(created, placeAt(move.stage), timestamp(move.at));
  const { state, messages } = since({ contact, conversations: [], applications: [] }, pipelines);
  await table.commit([
    ...contactWrites(table, undefined, state),
    ...messages.map((message) =>
      table.add(messageKey(contactId, message.conversationId, message._id), message),
    ),
    ...state.conversations.flatMap((conversation) =>
      positionsIn(
        conversation,
        messages.filter(({ conversationId }) => conversationId === conversation._id),
        past.now,
      ).map(({ userId: reader, position }) =>
        table.add(readPositionKey(contactId, reader, conversation._id), position),
      ),
    ),
  ]);
  return state.conversations;
}

/** How far the assignees and the admin have read a conversation: a recent incoming message is still unread. */
function positionsIn({ assignees, userId }: Conversation, messages: readonly Message[], now: Date) {
  const last = messages.at(-1);
  const isNews = last?.direction === 'inbound' && new Date(last.createdAt) > after(now, -newsSpan);
  const read = messages.at(isNews ? -2 : -1);
  if (read === undefined || (isNews && messages.length === 1)) {
    return [];
  }
  const readers = [...new Set([...assignees, ...(userId === null ? [] : [userId]), demo.admin])];
  const position = { readUpTo: read._id, readInbound: read.inboundNumber ?? 0 };
  return readers.map((reader) => ({ userId: reader, position }));
}

/** A contact gets a text message, and opts out at once. */
function optOutAfter({ createdAt }: SeedContact): Exchange {
  const start = createdAt.getTime() + hour;
  return { channel: 'sms', dialogue: optOut, start, end: start + 3 * minute, isResolved: true };
}

function optedOut(state: ContactState): ContactState {
  const { contact } = state;
  const since = contact.lastMessageAt ?? contact.createdAt;
  return { ...state, contact: withConsent(contact, { sms: 'out', since, source: 'keyword' }) };
}

/** Some contacts have a reminder for the next days. */
async function remind(past: Past, seedContact: SeedContact): Promise<void> {
  const { random, now } = past;
  if (random.chance(0.15)) {
    const remindAt = timestamp(after(now, hour + random.below(30 * day)));
    const body = { contactId: seedContact._id, note: random.pick(subjects), remindAt };
    const at = random.momentBetween(seedContact.createdAt, now);
    await past.run(createReminder, { at, by: responsibleUser(seedContact), body });
  }
}

/** Some conversations are kept as training snapshots, by the responsible user or by the admin. */
async function keep(
  past: Past,
  userId: string,
  { _id: conversationId, contactId }: Conversation,
): Promise<void> {
  const { random, now } = past;
  if (random.chance(0.25)) {
    const by = random.pick([userId, demo.admin]);
    const body = {
      contactId,
      conversationId,
      quality: random.pick(qualities),
      category: random.pick(['Price', 'Complaint', 'First contact']),
      tags: random.pick([[], ['patient'], ['quick', 'friendly']]),
    };
    await past.run(createTrainingSnapshot, { at: now, by, body });
  }
}
