import { type Call, dueMissedCallText } from '../../../shared/calls/call.ts';
import { cancelAction } from '../../../shared/events/due-entry.ts';
import type { Ports } from '../../../shared/kernel/operation.ts';
import { deleteReminderActions, reminderKey } from '../../../shared/notes/reminder.ts';
import { type NotifiedRecords, readNotifiedBy } from '../../../shared/notifications/delete-notifications.ts';
import type { Action } from '../../../shared/table/table.ts';
import { readEarlierCalls, readLastTextTo } from './earlier-calls.ts';

/** The actions that cancel the text scheduled for the caller, and delete its record, which would hold back the next text. */
export async function cancelTextActions(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  call: Call,
): Promise<Action[]> {
  const due = dueMissedCallText(call);
  if (due === undefined) {
    return [];
  }
  const lastText = await readLastTextTo(table, call.contactId, call.from);
  return [
    cancelAction(platform, due),
    ...(lastText?.data.callId === call._id
      ? [table.delete(lastText.key, { ifVersion: lastText.version })]
      : []),
  ];
}

/**
 * The actions that delete the reminder to call back, and its record, which would hold back the next reminder; with the records of whom it
 * has notified.
 * @param ofContact some records of the users whom anything about the contact has notified, prefetched.
 */
export async function prepareReminderDeletion(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  { contactId, from, reminderId }: Call,
  ofContact: NotifiedRecords,
): Promise<{ readonly actions: readonly Action[]; readonly notified: NotifiedRecords }> {
  if (reminderId === undefined) {
    return { actions: [], notified: [] };
  }
  const [reminder, { callBack }] = await Promise.all([
    table.read(reminderKey(reminderId)),
    readEarlierCalls(table, contactId, from),
  ]);
  // It notifies once, so this is all, if there is any.
  const notified = ofContact.filter(({ key }) => key.sort[1] === reminderId);
  return {
    actions: [
      ...(reminder === undefined ? [] : deleteReminderActions({ table, platform }, reminder)),
      ...(callBack?.data.reminderId === reminderId
        ? [table.delete(callBack.key, { ifVersion: callBack.version })]
        : []),
    ],
    // Only then: if it fires at this moment, its version is another one.
    notified:
      notified.length === 0 && reminder?.data.fired ? await readNotifiedBy(table, reminderId) : notified,
  };
}
