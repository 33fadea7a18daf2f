import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { isVisible } from '../../../shared/kernel/schemas/fields.ts';
import { type Timestamp, timestamp } from '../../../shared/kernel/time.ts';
import { toAuthorResponse } from '../../../shared/notes/build-note-response.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import { excerpt } from '../../../shared/notifications/excerpt.ts';
import {
  findRecipients,
  type NotificationContent,
  notifyActions,
  type Recipient,
} from '../../../shared/notifications/notify.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { addScopes, involvedPeople, type Scope, sees } from '../../../shared/organizations/visibility.ts';
import { raiseVersion } from '../../../shared/table/raise-version.ts';
import {
  type Action,
  type Stored,
  type TableReader,
  type TableWriter,
  VersionConflict,
} from '../../../shared/table/table.ts';

/** The mentioned users, each once. */
export interface Mentioned {
  readonly userIds: string[];
  /**
   * The users whom the note did not mention before.
   * @throws a 404 `Failure` when one of them is not a user of the organization.
   */
  newly(before: readonly string[]): Recipient[];
}

/** Reads the mentioned users. Only those whom the note did not mention before must exist: see `newly`. */
export async function readMentioned(table: TableReader, mentions: readonly string[]): Promise<Mentioned> {
  const userIds = [...new Set(mentions)];
  const found = await findRecipients(table, userIds);
  return {
    userIds,
    newly(before) {
      const known = new Set(before);
      return userIds.flatMap((userId, index) => {
        const recipient = found[index];
        if (known.has(userId)) {
          return [];
        }
        if (recipient === undefined) {
          const field = `mentions[${mentions.indexOf(userId)}]`;
          throw new Failure('NOT_FOUND', `${field} is not the id of a user of this organization`);
        }
        return [recipient];
      });
    },
  };
}

/** Created before the first try, so that a retry writes the same. Those who see the contact and the others get one notification each. */
export interface MentionIds {
  readonly notifications: readonly [string, string];
  readonly events: readonly [string, string];
}

/** A note with mentions, its author, and its contact as it was read; undefined for one that is gone. */
interface Mentioning {
  readonly contact: Stored<StoredContact> | undefined;
  readonly note: StoredNote;
  readonly author: User | undefined;
}

/**
 * The actions that notify these users of a mention, whatever their preferences are (decisions 9). Only those who may see the contact are
 * told what the note says, so the transaction requires that the contact has not changed.
 * @throws `VersionConflict` when the contact is deleted at this moment.
 */
export async function mentionActions(
  table: TableWriter,
  { contact, note, author }: Mentioning,
  recipients: readonly Recipient[],
  ids: MentionIds,
  now: Date,
): Promise<Action[]> {
  if (recipients.length === 0) {
    return [];
  }
  if (contact === undefined) {
    throw new VersionConflict();
  }
  const { fullName } = toAuthorResponse(note.userId, author);
  const [seenId, unseenId] = ids.notifications;
  const shown = { ...note, contactId: contact.data._id };
  const quoting = mentionNotification(seenId, fullName, shown, timestamp(now));
  const people = involvedPeople(contact.data);
  const isSeeing = ({ scope }: { readonly scope: Scope }) => sees(scope, people);
  const scoped = await addScopes(recipients, table);
  const groups = [
    { some: scoped.filter(isSeeing), notification: quoting },
    { some: scoped.filter((one) => !isSeeing(one)), notification: withoutQuote(quoting, unseenId) },
  ].filter(({ some }) => some.length > 0);
  const mentions = recipients.map(({ user }) => user._id);
  const mention = { userId: note.userId, mentions, note: quoting.message };
  const notifying = groups.flatMap(({ some, notification }, index) =>
    // One event tells workflows of the mention.
    notifyActions(
      table,
      notification,
      some,
      ids.events[index] ?? '',
      now,
      index === 0 ? { change: { mention } } : {},
    ),
  );
  return [raiseVersion(table, contact), ...notifying];
}

/** The notification of a mention: the author, and the beginning of the note, or its files if it has no text. */
function mentionNotification(
  id: string,
  authorName: string,
  note: StoredNote,
  at: Timestamp,
): NotificationContent {
  const files = note.attachments.map(({ name }) => name).join(', ');
  return {
    _id: id,
    type: 'mention',
    title: `${authorName} mentioned you`,
    message: excerpt(isVisible(note.note) ? note.note : files),
    contactId: note.contactId,
    noteId: note._id,
    createdAt: at,
  };
}

/** The same for those who may not see the contact: without a word of the note. */
function withoutQuote(mention: NotificationContent, id: string): NotificationContent {
  return { ...mention, _id: id, message: 'In a note on a contact that you cannot see.' };
}
