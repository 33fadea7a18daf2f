import type { Call } from '../../../shared/calls/call.ts';
import { type CallBack, callBackKey } from '../../../shared/calls/missed-call.ts';
import { childId } from '../../../shared/kernel/child-id.ts';
import { after, day, timestamp } from '../../../shared/kernel/time.ts';
import { newReminderActions, reminderKey } from '../../../shared/notes/reminder.ts';
import { openingAt } from '../../../shared/organizations/opening.ts';
import type { Action, Stored } from '../../../shared/table/table.ts';
import type { Counterparty } from './counterparty.ts';
import type { MissedCallContext } from './missed-call-context.ts';

/**
 * The actions that remind the user whose number was called to call back, if the policy says so: at once, or at the next opening. A caller
 * who withheld the number gets none, and a number has one open reminder at a time: `last` is the one before.
 */
export async function prepareReminderToCallBack(
  { from, contactId, userId }: Call,
  counterparty: Counterparty | undefined,
  last: Stored<CallBack> | undefined,
  { table, platform, settings: { policy, hours }, ids, now }: MissedCallContext,
): Promise<{ readonly id: string; readonly actions: readonly Action[] } | undefined> {
  if (!policy.remind || counterparty === undefined || from === undefined) {
    return undefined;
  }
  const waiting = last && (await table.read(reminderKey(last.data.reminderId)));
  if (waiting?.data.fired === false) {
    return undefined;
  }
  const at = timestamp(now);
  const remindAt = openingAt(hours, now).opensAt ?? now;
  const id = childId(contactId, ids.reminder);
  const actions = newReminderActions(
    { table, platform },
    {
      _id: id,
      contactId,
      createdBy: userId,
      note: `Call back ${from}: a call was missed.`,
      remindAt: timestamp(remindAt),
      fired: false,
      createdAt: at,
      updatedAt: at,
    },
  );
  const callBack: CallBack = { reminderId: id };
  // If a number misses several calls at once, one of them makes the reminder, and the others find it in their next attempt.
  const options = { expiresAt: after(remindAt, day) };
  const remembering =
    last === undefined
      ? table.add(callBackKey(contactId, from), callBack, options)
      : table.replace(last, callBack, options);
  return { id, actions: [...actions, remembering] };
}
