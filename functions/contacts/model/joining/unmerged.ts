import { isDeepStrictEqual } from 'node:util';
import type { StoredApplication } from '../../../../shared/contact-aggregate/application.ts';
import type { ContactState } from '../../../../shared/contact-aggregate/contact-aggregate.ts';
import { statedConsent } from '../../../../shared/contacts/consent.ts';
import {
  contactSenders,
  externalIds,
  type StoredContact,
  withOnePrimary,
} from '../../../../shared/contacts/contact.ts';
import { numberLockName } from '../../../../shared/contacts/phone-numbers.ts';
import type { Conversation } from '../../../../shared/conversations/conversation.ts';
import { definedOnly } from '../../../../shared/kernel/defined-only.ts';
import { withoutNames } from '../../../../shared/kernel/names/same-names.ts';
import type { Timestamp } from '../../../../shared/kernel/time.ts';
import type { Merge } from './contact-change.ts';
import { ofContact, withConversationsKnown } from './merged-contact.ts';

/** A contact and the one that was merged into it, apart again. */
export interface Unmerged {
  readonly contact: ContactState;
  readonly other: ContactState;
}

/**
 * Takes a merge apart: what is still where the merge put it goes back, with what came in since for a number that goes back. All else stays.
 */
export function unmerged({ before, after, moved }: Merge, now: ContactState, at: Timestamp): Unmerged {
  const { contact: was, other: gone } = before;
  const isMoved = ({ _id }: Conversation | StoredApplication) => moved.includes(_id);
  const back = now.conversations.filter(isMoved).map((one) => returned(one, gone));
  const kept = now.conversations.filter((one) => !isMoved(one));
  const contact = withoutOther({ was, gone, after, now: now.contact }, at);
  const other = otherAgain(gone, now.contact, at);
  return {
    contact: {
      contact: withConversationsKnown(withLastMessage(contact, kept, [was, now.contact]), kept),
      conversations: kept,
      applications: now.applications.filter((one) => !isMoved(one)),
    },
    other: {
      contact: withConversationsKnown(withLastMessage(other, back, [gone, now.contact]), back),
      conversations: back,
      applications: now.applications.filter(isMoved).map((one) => ofContact(one, gone)),
    },
  };
}

/** A conversation of the other contact, which is for all of its numbers again unless it was for some before. */
function returned({ numbers, ...conversation }: Conversation, gone: StoredContact): Conversation {
  const isForAll = isDeepStrictEqual(numbers, contactSenders(gone));
  return { ...ofContact(conversation, gone), ...definedOnly({ numbers: isForAll ? undefined : numbers }) };
}

interface Versions {
  readonly was: StoredContact;
  readonly gone: StoredContact;
  /** As the merge left it. */
  readonly after: StoredContact;
  readonly now: StoredContact;
}

function withoutOther({ was, gone, after, now }: Versions, at: Timestamp): StoredContact {
  const own = <Field extends 'firstName' | 'lastName' | 'email' | 'source' | 'owner'>(field: Field) =>
    now[field] === after[field] ? was[field] : now[field];
  const isInPlace = now.pipelineId === after.pipelineId && now.stageId === after.stageId;
  const { pipelineId, stageId } = isInPlace ? was : now;
  const isOthers = sameAddress(gone, was);
  const [externalId, ...formerExternalIds] = externalIds(now).filter(
    (id) => externalIds(was).includes(id) || !externalIds(gone).includes(id),
  );
  const [sender, ...formerSenders] = contactSenders({ ...now, phoneNumbers: [] }).filter(
    (address) => !isOthers(address),
  );
  const newAssignees = after.assignees.filter((userId) => !was.assignees.includes(userId));
  const { externalId: _, formerExternalIds: __, sender: ___, formerSenders: ____, ...rest } = now;
  const mergedIds = [gone._id, ...(gone.holdings?.mergedIds ?? [])];
  const partitions = [gone._id, ...(gone.holdings?.partitions ?? [])].filter(
    (partition) => !was.holdings?.partitions.includes(partition),
  );
  const contact: StoredContact = {
    ...rest,
    firstName: own('firstName'),
    lastName: own('lastName'),
    email: own('email'),
    source: own('source'),
    owner: own('owner'),
    pipelineId,
    stageId,
    assignees: now.assignees.filter((userId) => !newAssignees.includes(userId)),
    tags: withoutNames(now.tags, withoutNames(after.tags, was.tags)),
    customFields: formerFields({ was, gone, after, now }),
    phoneNumbers: withOnePrimary(now.phoneNumbers.filter(({ value }) => !isOthers(value))),
    ...definedOnly({ externalId, sender }),
    ...(formerExternalIds.length > 0 && { formerExternalIds }),
    ...(formerSenders.length > 0 && { formerSenders }),
    holdings: {
      mergedIds: (now.holdings?.mergedIds ?? []).filter((id) => !mergedIds.includes(id)),
      partitions: (now.holdings?.partitions ?? []).filter((id) => !partitions.includes(id)),
    },
    updatedAt: at,
  };
  return withConsentsIn(contact, now);
}

/** Tells whether a number or other address came with the other contact. */
function sameAddress(gone: StoredContact, was: StoredContact): (address: string) => boolean {
  const own = new Set(contactSenders(was).map(numberLockName));
  const others = new Set(contactSenders(gone).map(numberLockName)).difference(own);
  return (address) => others.has(numberLockName(address));
}

/** Custom fields that nobody has changed since have their former values. */
function formerFields({ was, after, now }: Versions): StoredContact['customFields'] {
  return Object.fromEntries(
    Object.entries(now.customFields).flatMap(([key, value]) => {
      if (!isDeepStrictEqual(value, after.customFields[key])) {
        return [[key, value]];
      }
      return key in was.customFields ? [[key, was.customFields[key]]] : [];
    }),
  );
}

/** The other contact as it was, with the numbers and ids that are still with the contact that it was merged into. */
function otherAgain(gone: StoredContact, now: StoredContact, at: Timestamp): StoredContact {
  const held = new Set(contactSenders(now).map(numberLockName));
  const isHeld = (address: string) => held.has(numberLockName(address));
  const ids = externalIds(now);
  const { externalId, formerExternalIds = [], sender, formerSenders = [], ...rest } = gone;
  const contact: StoredContact = {
    ...rest,
    phoneNumbers: withOnePrimary(gone.phoneNumbers.filter(({ value }) => isHeld(value))),
    ...(externalId !== undefined && ids.includes(externalId) && { externalId }),
    ...(sender !== undefined && isHeld(sender) && { sender }),
    ...(formerExternalIds.some((id) => ids.includes(id)) && {
      formerExternalIds: formerExternalIds.filter((id) => ids.includes(id)),
    }),
    ...(formerSenders.some(isHeld) && { formerSenders: formerSenders.filter(isHeld) }),
    holdings: gone.holdings ?? { mergedIds: [], partitions: [] },
    updatedAt: at,
  };
  return withConsentsIn(contact, now);
}

/** The contact with what was last said about its numbers, as another one knows it. */
function withConsentsIn(contact: StoredContact, known: StoredContact): StoredContact {
  const { consents: _, ...rest } = contact;
  const consents = contactSenders(contact).flatMap((address) => {
    const consent = statedConsent(known, address);
    return consent === undefined ? [] : [[numberLockName(address), consent] as const];
  });
  return consents.length === 0 ? rest : { ...rest, consents: Object.fromEntries(consents) };
}

/** The contact with the last message of these conversations. */
function withLastMessage(
  contact: StoredContact,
  conversations: readonly Conversation[],
  known: readonly StoredContact[],
): StoredContact {
  const [last] = conversations
    .flatMap(({ lastMessageAt, replies = 0 }) => (lastMessageAt === null ? [] : [{ lastMessageAt, replies }]))
    .toSorted((one, other) => (one.lastMessageAt < other.lastMessageAt ? 1 : -1));
  if (last === undefined) {
    return { ...contact, lastMessageAt: null, lastMessageDirection: null };
  }
  const { lastMessageAt, replies } = last;
  const told = known.find((one) => one.lastMessageAt === lastMessageAt)?.lastMessageDirection;
  return {
    ...contact,
    lastMessageAt,
    lastMessageDirection: told ?? (replies > 0 ? 'outbound' : 'inbound'),
  };
}
