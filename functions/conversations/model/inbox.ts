import { canSeeConversation } from '../../../shared/contact-aggregate/find-conversation.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { listHeld, partitionsWith, readContact } from '../../../shared/contacts/holdings.ts';
import type { Channel, Conversation, InboxEntry } from '../../../shared/conversations/conversation.ts';
import { conversationRange, inboxEntryKey, inboxRange } from '../../../shared/conversations/conversation.ts';
import {
  positionsByConversation,
  type ReadConversation,
  type ReadPosition,
  readAt,
  readByUser,
  readPositionRange,
} from '../../../shared/conversations/read-position.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { Paging } from '../../../shared/kernel/schemas/paging.ts';
import type { PersonalView } from '../../../shared/organizations/views.ts';
import { readScope, type Scope, sees, viewsOfScope } from '../../../shared/organizations/visibility.ts';
import { sortInCursor, toCursor } from '../../../shared/table/cursor.ts';
import { joined } from '../../../shared/table/key.ts';
import { readMergedPage } from '../../../shared/table/merged-page.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

/** A filter for a list of conversations; an absent field filters nothing. */
export interface InboxFilter {
  /** A user whom the conversation is assigned to. */
  readonly assignee?: string | undefined;
  readonly channel?: Channel | undefined;
  readonly isResolved?: boolean | undefined;
}

interface InboxPage {
  readonly conversations: readonly ReadConversation[];
  readonly nextCursor: string | null;
}

/** The conversations that the caller may see, the one with the newest message first. */
export async function readInboxPage(
  table: TableReader,
  caller: Caller,
  filter: InboxFilter,
  { limit, cursor }: Paging,
): Promise<InboxPage> {
  const scope = await readScope(caller, table);
  const views = viewsOf(scope, filter.assignee);
  const passes = matching(filter);
  const isEverybodys = views.some(([view]) => view === 'all');
  const matches = (entry: InboxEntry) => passes(entry) && (!isEverybodys || sees(scope, entry.people ?? []));
  const isWhole = scope.kind === 'organization' || !isEverybodys;
  const { records, nextCursor } = await readMergedPage(
    table,
    views.map((view) => inboxRange(view)),
    { limit, cursor, consistent: true, ...(isWhole && isEmpty(filter) ? {} : { matches }) },
  );
  const conversations = records.map(({ data }) => data);
  return { conversations: await readByUser(table, caller.userId, conversations), nextCursor };
}

/** The same for one contact, whose few conversations are in its own partition. */
export async function readContactInboxPage(
  table: TableReader,
  caller: Caller,
  contactId: string,
  filter: InboxFilter,
  { limit, cursor }: Paging,
): Promise<InboxPage> {
  const before = cursor === undefined ? undefined : sortInCursor(cursor, (sort) => sort !== '');
  const [contact, ...found] = await Promise.all([
    readContact(table, contactId),
    table.list(conversationRange(contactId)),
    table.list(readPositionRange(contactId, caller.userId)),
    readScope(caller, table),
  ]);
  if (contact?.data._id !== contactId) {
    return { conversations: [], nextCursor: null };
  }
  const [ownConversations, ownPositions, scope] = found;
  const isInOnePlace = contact.data.holdings === undefined;
  const [conversations, positions] = isInOnePlace
    ? [ownConversations, ownPositions]
    : await Promise.all([
        listHeld(table, contact.data, conversationRange),
        listHeldPositions(table, contact.data, caller.userId),
      ]);
  const positionOf = positionsByConversation(positions);
  const left = conversations
    .map(({ data }) => data)
    .filter((conversation) => canSeeConversation(scope, contact.data, conversation))
    .filter(matching(filter))
    .map((conversation) => ({ conversation, sort: joined(inboxEntryKey(['all'], conversation).sort) }))
    .filter(({ sort }) => before === undefined || sort < before)
    .sort((a, b) => (a.sort < b.sort ? 1 : -1));
  const page = left.slice(0, limit);
  const last = page.at(-1)?.sort;
  return {
    conversations: page.map(({ conversation }) => readAt(conversation, positionOf.get(conversation._id))),
    nextCursor: last !== undefined && left.length > limit ? toCursor(last) : null,
  };
}

/** The user's positions in all partitions of a contact, also in conversations that are no longer its own. */
async function listHeldPositions(
  table: TableReader,
  contact: StoredContact,
  userId: string,
): Promise<Stored<ReadPosition>[]> {
  const found = partitionsWith(contact).map((partition) => table.list(readPositionRange(partition, userId)));
  return (await Promise.all(found)).flat();
}

/** The fewest views that contain a whole scope. A conversation is in the view of each assignee. */
function viewsOf(scope: Scope, assignee: string | undefined): PersonalView[] {
  if (assignee !== undefined && sees(scope, [assignee])) {
    return [['user', assignee]];
  }
  return viewsOfScope(scope);
}

function isEmpty({ assignee, channel, isResolved }: InboxFilter): boolean {
  return assignee === undefined && channel === undefined && isResolved === undefined;
}

function matching({ assignee, channel, isResolved }: InboxFilter): (conversation: Conversation) => boolean {
  return (conversation) =>
    (assignee === undefined || conversation.assignees.includes(assignee)) &&
    (channel === undefined || conversation.channel === channel) &&
    (isResolved === undefined || conversation.isResolved === isResolved);
}
