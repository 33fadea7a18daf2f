import { movedApplication, newApplication } from '../../shared/contact-aggregate/application.ts';
import {
  type ContactState,
  conversationOn,
  withConversation,
  withMessage,
} from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { withConsent } from '../../shared/contacts/consent.ts';
import { moved, newContact } from '../../shared/contacts/contact.ts';
import type { ContactFields } from '../../shared/contacts/contact-fields.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../shared/contacts/stages.ts';
import {
  type Conversation,
  type Message,
  messageKey,
  newConversation,
} from '../../shared/conversations/conversation.ts';
import { readPositionKey } from '../../shared/conversations/read-position.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import type { Timestamp } from '../../shared/kernel/time.ts';
import type { Past } from './past.ts';

type ToldConversation = Pick<Conversation, '_id' | 'channel' | 'userId' | 'assignees' | 'isResolved'> & {
  readonly at: Timestamp;
  readonly messages: readonly Omit<Message, 'conversationId' | 'contactId' | 'channel' | 'attachments'>[];
  /** The users who have read it up to a message, and the number of incoming messages until then; absent for nobody. */
  readonly readBy?: readonly string[];
  readonly readUpTo?: string;
  readonly readInbound?: number;
};

interface ToldApplication {
  readonly _id: string;
  readonly at: Timestamp;
  readonly userId: string;
  readonly name: string;
  readonly customFields: Record<string, unknown>;
  readonly moves: readonly { readonly stage: string; readonly at: Timestamp; readonly by: string }[];
}

/** A contact with the conversations and applications that it has had. */
export interface ContactEntry {
  readonly contact: ContactFields & { readonly _id: string; readonly at: Timestamp; readonly by: string };
  /** Its last move to another stage; absent for a contact in the first one. */
  readonly movedTo?: { readonly stage: string; readonly at: Timestamp };
  /** Whether its last message opts out of text messages. */
  readonly optedOut?: boolean;
  readonly conversations?: readonly ToldConversation[];
  readonly applications?: readonly ToldApplication[];
}

/**
 * Writes a contact with its messages and applications in one transaction of the product's own writes. Operations would take 2,000 more
 * requests, and none of them writes messages of the past: text messages go to the provider.
 */
export async function writeContact(past: Past, entry: ContactEntry): Promise<void> {
  const { contact, movedTo, conversations = [], applications = [] } = entry;
  const { _id: contactId, at, by: userId, ...fields } = contact;
  const organizationId = demo.organization;
  const table = past.table(organizationId);
  const { pipelines } = (await readPipelines(table)).data;
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  const created = newContact(contactId, creator, requestedStage(pipelines, 'Contact', {}), fields, at);
  const entered = movedTo
    ? moved(created, requestedStage(pipelines, 'Contact', movedTo), movedTo.at)
    : created;
  let state: ContactState = { contact: entered, conversations: [], applications: [] };
  for (const told of conversations) {
    state = withMessages(state, told);
  }
  state = {
    ...(entry.optedOut ? optedOut(state) : state),
    applications: applications.map(({ _id, at: appliedAt, moves, ...application }) =>
      moves.reduce(
        (one, move) =>
          movedApplication(one, requestedStage(pipelines, 'Application', move), move.by, move.at),
        newApplication(_id, entered, requestedStage(pipelines, 'Application', {}), application, appliedAt),
      ),
    ),
  };
  await table.commit([
    ...contactWrites(table, undefined, state),
    ...conversations.flatMap((told) => [
      ...messagesOf(contactId, told).map((message) => table.add(messageKey(told._id, message._id), message)),
      ...(told.readBy ?? []).map((reader) => {
        const position = { readUpTo: told.readUpTo ?? '', readInbound: told.readInbound ?? 0 };
        return table.add(readPositionKey(reader, told._id), position);
      }),
    ]),
  ]);
}

function withMessages(before: ContactState, told: ToldConversation): ContactState {
  const { _id, channel, userId, at, assignees, isResolved } = told;
  const begun = newConversation(_id, before.contact, channel, userId, at);
  let state = before;
  const current = () => conversationOn(state, channel) ?? begun;
  for (const message of messagesOf(before.contact._id, told)) {
    state = withMessage(state, current(), message);
  }
  return withConversation(state, { ...current(), assignees, isResolved });
}

function messagesOf(
  contactId: string,
  { _id: conversationId, channel, messages }: ToldConversation,
): Message[] {
  return messages.map((message) => ({ attachments: [], ...message, conversationId, contactId, channel }));
}

function optedOut(state: ContactState): ContactState {
  const { contact } = state;
  const since = contact.lastMessageAt ?? contact.createdAt;
  return { ...state, contact: withConsent(contact, { sms: 'out', since, source: 'keyword' }) };
}
