import { mentionNotice } from '../../../functions/notes/model/mention-notice.ts';
import * as demo from '../../../shared/demo-ids.ts';
import type { StoredNote } from '../../../shared/notes/note.ts';
import type { StoredNotification } from '../../../shared/notifications/notification.ts';
import { notificationKey } from '../../../shared/notifications/notification.ts';
import { unreadCounterKey } from '../../../shared/notifications/unread-counter.ts';
import { fullName, type User } from '../../../shared/organizations/user.ts';
import type { Step, TableWriter } from '../../../shared/table/table.ts';
import type { Randomness } from './randomness.ts';

/** Of each user: the newest ones, which nobody has looked at yet; of the admin the very first one as well. */
const unread = 3;

/** What the mentions in notes have left with the mentioned users: their notifications, and how many of them are unread. */
export function notificationSteps(
  table: TableWriter,
  notes: readonly StoredNote[],
  users: ReadonlyMap<string, User>,
  random: Randomness,
): Step[] {
  const byUser = Map.groupBy(
    notes.flatMap((note) => mentionsIn(note, users, random)),
    ({ userId }) => userId,
  );
  return [...byUser].flatMap(([userId, notifications]) => {
    const newestFirst = notifications.toSorted((a, b) => (a._id > b._id ? -1 : 1));
    const first = newestFirst.at(-1);
    if (userId === demo.admin && first !== undefined) {
      // The fixed id is older than every other: the order by id stays that of time.
      newestFirst.splice(-1, 1, { ...first, _id: demo.notification });
    }
    const isUnread = ({ _id }: StoredNotification, index: number) =>
      index < unread || _id === demo.notification;
    return [
      ...newestFirst.map((notification, index) => {
        const partition = isUnread(notification, index) ? 'INCOMING' : 'OPENED';
        return table.add(notificationKey(partition, userId, notification._id), notification);
      }),
      table.updateStep(unreadCounterKey(userId), {
        update: 'SET unread = :unread',
        values: { unread: newestFirst.filter(isUnread).length },
      }),
    ];
  });
}

function mentionsIn(
  note: StoredNote,
  users: ReadonlyMap<string, User>,
  random: Randomness,
): StoredNotification[] {
  const author = users.get(note.userId);
  if (author === undefined) {
    return [];
  }
  const id = random.idAt(new Date(note.createdAt));
  const notice = mentionNotice(id, fullName(author), note, note.createdAt);
  return note.mentions.map((userId) => ({ ...notice, userId, readAllEpoch: 0 }));
}
