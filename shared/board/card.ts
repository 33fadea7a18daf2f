import type { StoredContact } from '../contacts/contact.ts';
import type { Key, Range } from '../table/key.ts';
import type { View } from '../views.ts';

/** What a board entry need not repeat: its key and its column tell it. */
type Told = '_id' | 'createdAt' | 'organizationId' | 'pipelineId' | 'stageId';

/** Where a card lies. */
export type CardPlace = Pick<StoredContact, Told>;

/**
 * A contact as its board entries carry it, whole but small: a board of 160 cards is read by the byte, and names of fields
 * would be a third of them. What is not there is left out, and so are an owner who is the creator and an update that is
 * the creation.
 */
export interface Card {
  f?: string;
  l?: string;
  e?: string;
  /** Number, label, 1 for the primary one. */
  p?: [value: string, label: string, isPrimary: 0 | 1][];
  s?: string;
  /** The creator. */
  c: string;
  /** The owner; null for nobody. */
  o?: string | null;
  a?: string[];
  x?: StoredContact['customFields'];
  t?: string[];
  /** Of a bulk import. */
  b?: 1;
  /** The time of the last message, and its direction. */
  m?: string;
  d?: 'inbound' | 'outbound';
  /** Assignees of conversations. */
  v?: string[];
  /** The time of the last update. */
  u?: string;
}

/** The contact of an application, as the entry of the application's board carries it. */
export interface ApplicationCard extends Card {
  /** The contact's creation: the entry's key tells the application's. */
  k: string;
  /** Where the contact itself stands. */
  q: [pipelineId: string, stageId: string];
}

const some = <Item>(items: Item[]) => (items.length === 0 ? undefined : items);

export function cardOf(contact: StoredContact): Card {
  const { createdBy, owner, createdAt, updatedAt, customFields } = contact;
  // What is undefined, JSON leaves out.
  const card: { [Letter in keyof Card]: Card[Letter] | undefined } = {
    f: contact.firstName || undefined,
    l: contact.lastName || undefined,
    e: contact.email ?? undefined,
    p: some(contact.phoneNumbers.map(({ value, label, isPrimary }) => [value, label, isPrimary ? 1 : 0])),
    s: contact.source ?? undefined,
    c: createdBy,
    o: owner === createdBy ? undefined : owner,
    a: some(contact.assignees),
    x: Object.keys(customFields).length === 0 ? undefined : customFields,
    t: some(contact.tags),
    b: contact.isBulkImport ? 1 : undefined,
    m: contact.lastMessageAt ?? undefined,
    d: contact.lastMessageDirection ?? undefined,
    v: some(contact.conversationAssignees),
    u: updatedAt === createdAt ? undefined : updatedAt,
  };
  return card as Card;
}

export function applicationCardOf(contact: StoredContact): ApplicationCard {
  const { createdAt, pipelineId, stageId } = contact;
  return { ...cardOf(contact), k: createdAt, q: [pipelineId, stageId] };
}

/** The contact that a card shows. */
export function contactOf(card: Card, place: CardPlace): StoredContact {
  return {
    _id: place._id,
    organizationId: place.organizationId,
    firstName: card.f ?? '',
    lastName: card.l ?? '',
    email: card.e ?? null,
    phoneNumbers: (card.p ?? []).map(([value, label, isPrimary]) => ({
      value,
      label,
      isPrimary: isPrimary === 1,
    })),
    source: card.s ?? null,
    pipelineId: place.pipelineId,
    stageId: place.stageId,
    createdBy: card.c,
    owner: card.o === undefined ? card.c : card.o,
    assignees: card.a ?? [],
    customFields: card.x ?? {},
    tags: card.t ?? [],
    isBulkImport: card.b === 1,
    lastMessageAt: card.m ?? null,
    lastMessageDirection: card.d ?? null,
    conversationAssignees: card.v ?? [],
    createdAt: place.createdAt,
    updatedAt: card.u ?? place.createdAt,
  };
}

export const boardEntryKey = (
  stageId: string,
  view: View,
  contact: { createdAt: string; _id: string },
): Key<Card> => ({ partition: ['BOARD', stageId, ...view], sort: [contact.createdAt, contact._id] });

export const boardRange = (stageId: string, view: View): Range<Card> => ({
  partition: ['BOARD', stageId, ...view],
});

/** Counters are split, since transactions that meet on one item cancel each other. */
export const counterShards = 8;

/** The shard that counts a record: always the same one, so that no shard ever falls below zero. */
export function shardOf(id: string): number {
  let hash = 0;
  for (const char of id) {
    hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  }
  return hash % counterShards;
}

/** Sorts after every entry of its partition, so that one descending query reads the counters and the first page. */
export const boardCounterKey = (stageId: string, view: View, shard: number): Key<never> => ({
  partition: ['BOARD', stageId, ...view],
  sort: ['COUNT', String(shard)],
});
