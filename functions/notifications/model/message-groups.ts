import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { after, hour, minute, type Timestamp } from '../../../shared/kernel/time.ts';
import {
  isUnread,
  notificationKey,
  type StoredNotification,
} from '../../../shared/notifications/notification.ts';
import type { Key } from '../../../shared/table/key.ts';
import type { Action, Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import type { Addressee } from './addressees.ts';

/** Messages of one conversation within this time of the first are one notification. */
const groupTime = 5 * minute;

/**
 * By user: the newest notification about messages of the conversation, and when the first of these messages came. A new
 * notification replaces this record, so that two simultaneous messages begin only one.
 */
export type MessageGroups = Readonly<Record<string, { readonly id: string; readonly since: Timestamp }>>;

/** An addressee with the notification that counts another message; `current` is undefined if a new one begins. */
export interface GroupedAddressee extends Addressee {
  readonly current: Stored<StoredNotification> | undefined;
}

/** Reads the notification of each addressee that is still unread and began shortly before this moment. */
export async function readGroups(
  table: TableReader,
  addressees: readonly Addressee[],
  groups: MessageGroups,
  at: Timestamp,
): Promise<GroupedAddressee[]> {
  const open = addressees.map(({ user }) => {
    const group = groups[user._id];
    return group !== undefined && isWithin(group.since, at) ? group.id : undefined;
  });
  const keys = addressees.flatMap(({ user }, index) => {
    const id = open[index];
    return id === undefined ? [] : [notificationKey('INCOMING', user._id, id)];
  });
  const found = keys.length === 0 ? [] : await table.readMany(keys);
  return addressees.map((addressee) => {
    const current = found.find((stored) => stored?.data.userId === addressee.user._id);
    return {
      ...addressee,
      current: current && isUnread(current.data, addressee.counter) ? current : undefined,
    };
  });
}

/** Also for messages whose events come out of order. */
function isWithin(since: Timestamp, at: Timestamp): boolean {
  return Math.abs(Date.parse(at) - Date.parse(since)) < groupTime;
}

/** The action that remembers new notifications, by user, in place of notifications that no other message belongs to any more. */
export function groupAction(
  table: TableWriter,
  { _id }: { readonly _id: string },
  stored: Stored<MessageGroups> | undefined,
  begun: MessageGroups,
  at: Timestamp,
): Action {
  const kept = Object.entries(stored?.data ?? {}).filter(([, { since }]) => isWithin(since, at));
  const groups = { ...Object.fromEntries(kept), ...begun };
  const options = { expiresAt: after(new Date(at), hour) };
  return stored === undefined
    ? table.add(messageGroupsKey(_id), groups, options)
    : table.replace(stored, groups, options);
}

/** Beside the conversation. */
export const messageGroupsKey = (conversationId: string): Key<MessageGroups> => ({
  partition: ['CONTACT', contactIdIn(conversationId)],
  sort: ['GROUPED', conversationId],
});
