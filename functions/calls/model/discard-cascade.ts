import { type Call, contactCallKey, contactCallRange } from '../../../shared/calls/call.ts';
import { callBackKey, missedCallTextKey } from '../../../shared/calls/missed-call.ts';
import {
  type ContactAggregate,
  type ContactState,
  toContactState,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactDeletion } from '../../../shared/contact-aggregate/contact-deletion.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { contactKey, contactRange } from '../../../shared/contacts/contact.ts';
import { timelineChangeKey } from '../../../shared/contacts/timeline-change.ts';
import { conversationKey } from '../../../shared/conversations/conversation.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { reminderKey } from '../../../shared/notes/reminder.ts';
import { type NotifiedRecords, readNotifiedBy } from '../../../shared/notifications/delete-notifications.ts';
import { notifiedKey } from '../../../shared/notifications/notification.ts';
import { joined } from '../../../shared/table/key.ts';
import { type Action, type TableWriter, VersionConflict } from '../../../shared/table/table.ts';

/** The records that are deleted with a call. */
export interface Cascade {
  /** The most of it. */
  readonly takes: 'call' | 'conversation' | 'contact';
  /** The actions that delete it, if nothing changes meanwhile. */
  readonly actions: readonly Action[];
  /** Whom the conversation has notified, if it is deleted: those whom it was assigned to. */
  readonly notified: NotifiedRecords;
}

const callAlone: Cascade = { takes: 'call', actions: [], notified: [] };

/**
 * Finds what is deleted with a call. Adding a child or notifying somebody raises the contact's version, so the children are read only
 * after the version, and never in the same round trip.
 * @throws `VersionConflict` when another call of the contact is discarded at the same moment.
 */
export async function prepareCascade(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  call: Call,
  aggregate: ContactAggregate | undefined,
  mayDelete: boolean,
  now: Date,
): Promise<Cascade> {
  const conversation = aggregate?.conversations.find(({ data }) => data._id === call.conversationId)?.data;
  // What a contact that was merged or separated has lies in several places, and somebody has looked after it.
  const isJoined = aggregate?.contact.data.holdings !== undefined;
  if (aggregate === undefined || isJoined || conversation === undefined || conversation.messageCount > 0) {
    return callAlone;
  }
  const [otherCall, others, notified] = await Promise.all([
    otherCallOf(table, call),
    mayDelete ? otherRecords(table, call) : undefined,
    readNotifiedBy(table, conversation._id),
  ]);
  if (otherCall !== undefined) {
    // If two calls are discarded at once, the later one must see that it is the last.
    const stillThere = table.require(contactCallKey(otherCall), {
      when: 'attribute_exists(pk)',
    });
    return { ...callAlone, actions: [stillThere] };
  }
  if (others?.some(({ isCall }) => isCall)) {
    // Another call was deleted between the two reads, so it does not keep the contact.
    throw new VersionConflict();
  }
  return others?.length === 0
    ? { takes: 'contact', actions: contactDeletion({ table, platform }, aggregate, now), notified }
    : {
        takes: 'conversation',
        actions: contactWrites(
          table,
          aggregate,
          withoutConversation(toContactState(aggregate), conversation._id),
        ),
        notified,
      };
}

async function otherCallOf(table: TableWriter, { _id, contactId }: Call): Promise<string | undefined> {
  const calls = await table.list(contactCallRange(contactId), { limit: 2 });
  return calls.map(({ data }) => data._id).find((id) => id !== _id);
}

/** The contact, its voice conversation, the call, its reminder, the records of the last text and reminder for its one number. */
const ownRecords = 6;

/** Up to this many records of notified users and changes in its timeline do not keep the contact from being deleted. */
const maxFollowing = 50;

/** The contact's other children, of any kind, beside the call and its conversation; one is enough. */
async function otherRecords(
  table: TableWriter,
  { _id, contactId, conversationId, from, reminderId }: Call,
): Promise<{ isCall: boolean }[]> {
  const keys = [
    contactKey(contactId),
    conversationKey(conversationId),
    contactCallKey(_id),
    ...(from === undefined ? [] : [missedCallTextKey(contactId, from), callBackKey(contactId, from)]),
    ...(reminderId === undefined ? [] : [reminderKey(reminderId)]),
  ].map(({ sort }) => joined(sort));
  const [callKind] = contactCallKey(_id).sort;
  const [notifiedKind] = notifiedKey('-', '-').sort;
  const [changeKind] = timelineChangeKey(contactId, '-').sort;
  const records = await table.list(contactRange(contactId), {
    limit: ownRecords + maxFollowing + 1,
  });
  const isAll = records.length <= ownRecords + maxFollowing;
  return records
    .filter(({ key }) => !keys.includes(joined(key.sort)))
    .filter(({ key }) => !isAll || ![notifiedKind, changeKind].includes(key.sort[0]))
    .map(({ key }) => ({ isCall: key.sort[0] === callKind }));
}

function withoutConversation({ contact, conversations, ...rest }: ContactState, id: string): ContactState {
  const left = conversations.filter(({ _id }) => _id !== id);
  const conversationAssignees = [...new Set(left.flatMap(({ assignees }) => assignees))];
  return { ...rest, contact: { ...contact, conversationAssignees }, conversations: left };
}
