import { Failure } from '../kernel/failure.ts';
import { mentionNotice } from '../notifications/mention.ts';
import { notifyingSteps } from '../notifications/notifying.ts';
import { type Recipient, recipientsOf } from '../notifications/recipients.ts';
import type { User } from '../organizations/user.ts';
import type { Step, TableReader, TableWriter } from '../table/table.ts';
import { timestamp } from '../time.ts';
import type { StoredNote } from './note.ts';
import { shownAuthor } from './shown-notes.ts';

/** The users that a note mentions, each once, as far as there are such users. */
export interface Mentioned {
  readonly userIds: string[];
  /**
   * Those of them whom the note did not mention before.
   * @throws a 404 `Failure` when one of them is no user of the organization.
   */
  newly(before: readonly string[]): Recipient[];
}

/** In one round trip. */
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

/** Made before the first try, so that a repetition writes the same. */
export interface MentionIds {
  readonly notification: string;
  readonly event: string;
}

/** The steps that notify these users of the note. A mention always does, whatever they prefer. Source: decisions 9. */
export function mentionSteps(
  table: TableWriter,
  note: StoredNote,
  author: User | undefined,
  recipients: readonly Recipient[],
  ids: MentionIds,
  now: Date,
): Step[] {
  const { fullName } = shownAuthor(note.userId, author);
  const notice = mentionNotice(ids.notification, fullName, note, timestamp(now));
  return notifyingSteps(table, notice, recipients, ids.event, now);
}
