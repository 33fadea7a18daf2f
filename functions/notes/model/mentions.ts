import { Failure } from '../../../shared/kernel/failure.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import { toAuthorResponse } from '../../../shared/notes/to-note-response.ts';
import { notifyActions, type Recipient, recipientsOf } from '../../../shared/notifications/notify.ts';
import type { User } from '../../../shared/organizations/user.ts';
import type { Action, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { mentionNotification } from './mention-notification.ts';

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
export async function mentionedIn(table: TableReader, mentions: readonly string[]): Promise<Mentioned> {
  const userIds = [...new Set(mentions)];
  const found = await recipientsOf(table, userIds);
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

/** Created before the first try, so that a retry writes the same. */
export interface MentionIds {
  readonly notification: string;
  readonly event: string;
}

/** The actions that notify these users of a mention, whatever their preferences are. Source: decisions 9. */
export function mentionActions(
  table: TableWriter,
  note: StoredNote,
  author: User | undefined,
  recipients: readonly Recipient[],
  ids: MentionIds,
  now: Date,
): Action[] {
  const { fullName } = toAuthorResponse(note.userId, author);
  const notification = mentionNotification(ids.notification, fullName, note, timestamp(now));
  return notifyActions(table, notification, recipients, ids.event, now, {
    change: { mention: { userId: note.userId } },
  });
}
