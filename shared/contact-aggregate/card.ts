import { type Consent, firstAddress, statedConsent, toConsent } from '../contacts/consent.ts';
import type { StoredContact } from '../contacts/contact.ts';
import { contactIdIn } from '../kernel/child-id.ts';
import type { View } from '../organizations/views.ts';
import type { Involved } from '../organizations/visibility.ts';
import type { Key, Range } from '../table/key.ts';

/** The fields that a board entry leaves out, because its key and its column contain them. */
type KeyOrColumnField = '_id' | 'createdAt' | 'organizationId' | 'pipelineId' | 'stageId';

export type CardPosition = Pick<StoredContact, KeyOrColumnField>;

/**
 * A contact in its board entries, complete but small: a board of 160 cards costs capacity by the byte, and field names would be a
 * third of it. Empty fields are left out, and so are an owner who is the creator and an update at the creation.
 */
export interface Card {
  f?: string;
  l?: string;
  e?: string;
  /** The id that another system has. */
  i?: string;
  /** Number, label, 1 for the primary one, extension if there is one. */
  p?: [value: string, label: string, isPrimary: 0 | 1, extension?: string][];
  s?: string;
  /** The creator. */
  c: string;
  /** The owner; null for nobody. */
  o?: string | null;
  a?: string[];
  x?: StoredContact['customFields'];
  t?: string[];
  /** From a bulk import. */
  b?: 1;
  /** The time of the last message, and its direction. */
  m?: string;
  d?: 'inbound' | 'outbound';
  /** Which way the last message went that is a reply or comes from the contact, if that is not `d`; null for none. */
  r?: 'inbound' | 'outbound' | null;
  /** Assignees of conversations. */
  v?: string[];
  /** The time of the last update. */
  u?: string;
  /** Whether it wants text messages, once somebody has said so. */
  n?: Consent;
}

/** The contact of an application, in the entry of the application's board. */
export interface ApplicationCard extends Card {
  /** When the contact was created, because the entry's key has the application's time. */
  k: string;
  /** The contact's own stage. */
  q: [pipelineId: string, stageId: string];
  /** The contact's id, if that is not the one in the application's. */
  h?: string;
}

const some = <Item>(items: Item[]) => (items.length === 0 ? undefined : items);

/** The part of a contact that the lists of the board store: every list entry has a copy, so each character counts. */
export function toCard(contact: StoredContact): Card {
  const { createdBy, owner, createdAt, updatedAt, customFields } = contact;
  // JSON leaves out undefined fields.
  const card: { [Letter in keyof Card]: Card[Letter] | undefined } = {
    f: contact.firstName || undefined,
    l: contact.lastName || undefined,
    e: contact.email ?? undefined,
    i: contact.externalId,
    p: some(
      contact.phoneNumbers.map(({ value, label, isPrimary, extension }) =>
        extension === undefined
          ? [value, label, isPrimary ? 1 : 0]
          : [value, label, isPrimary ? 1 : 0, extension],
      ),
    ),
    s: contact.source ?? undefined,
    c: createdBy,
    o: owner === createdBy ? undefined : owner,
    a: some(contact.assignees),
    x: Object.keys(customFields).length === 0 ? undefined : customFields,
    t: some(contact.tags),
    b: contact.isBulkImport ? 1 : undefined,
    m: contact.lastMessageAt ?? undefined,
    d: contact.lastMessageDirection ?? undefined,
    r: contact.lastExchange,
    v: some(contact.conversationAssignees),
    u: updatedAt === createdAt ? undefined : updatedAt,
    n: statedConsent(contact, firstAddress(contact)) && toConsent(contact),
  };
  return card as Card;
}

/** The same for the lists of applications, whose position is not the contact's. */
export function toApplicationCard(contact: StoredContact, applicationId?: string): ApplicationCard {
  const { _id, createdAt, pipelineId, stageId } = contact;
  return {
    ...toCard(contact),
    k: createdAt,
    q: [pipelineId, stageId],
    ...(applicationId !== undefined && contactIdIn(applicationId) !== _id && { h: _id }),
  };
}

/** The reverse of `toCard`, with what the position of the card tells. */
export function contactFromCard(card: Card, position: CardPosition): StoredContact {
  return {
    _id: position._id,
    organizationId: position.organizationId,
    firstName: card.f ?? '',
    lastName: card.l ?? '',
    email: card.e ?? null,
    ...(card.i !== undefined && { externalId: card.i }),
    phoneNumbers: (card.p ?? []).map(([value, label, isPrimary, extension]) => ({
      value,
      label,
      isPrimary: isPrimary === 1,
      ...(extension !== undefined && { extension }),
    })),
    source: card.s ?? null,
    pipelineId: position.pipelineId,
    stageId: position.stageId,
    createdBy: card.c,
    owner: card.o === undefined ? card.c : card.o,
    assignees: card.a ?? [],
    customFields: card.x ?? {},
    tags: card.t ?? [],
    isBulkImport: card.b === 1,
    lastMessageAt: card.m ?? null,
    lastMessageDirection: card.d ?? null,
    ...(card.r !== undefined && { lastExchange: card.r }),
    conversationAssignees: card.v ?? [],
    createdAt: position.createdAt,
    updatedAt: card.u ?? position.createdAt,
    ...(card.n && { consent: card.n }),
  };
}

/** The users of the contact. */
export function involvedIn({ c: createdBy, o: owner = createdBy, a: assignees = [] }: Card): Involved {
  return { createdBy, owner, assignees };
}

export const boardEntryKey = (
  stageId: string,
  view: View,
  { createdAt, _id }: { createdAt: string; _id: string },
): Key<Card | ApplicationCard> => ({ partition: ['BOARD', stageId, ...view], sort: [createdAt, _id] });

/** The entry of an archived contact, in the only list that shows it. In another stage it is another entry, as it is counted there. */
export const archivedEntryKey = ({
  createdAt,
  _id,
  stageId,
}: Pick<StoredContact, 'createdAt' | '_id' | 'stageId'>): Key<ApplicationCard> => ({
  partition: ['ARCHIVED'],
  sort: [createdAt, _id, stageId],
});

/** What counts an application of an archived contact. No list shows it. */
export const archivedApplicationKey = ({
  _id,
  stageId,
}: Pick<StoredContact, '_id' | 'stageId'>): Key<Record<string, never>> => ({
  partition: ['ARCHIVED', 'APPLICATIONS'],
  sort: [_id, stageId],
});

export const archivedRange = (): Range<ApplicationCard> => ({ partition: ['ARCHIVED'] });

export const boardRange = (stageId: string, view: View): Range<Card> => ({
  partition: ['BOARD', stageId, ...view],
});
