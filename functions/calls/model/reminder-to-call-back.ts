import type { Call } from '../../../shared/calls/call.ts';
import { childId } from '../../../shared/contacts/contact.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { openingAt } from '../../../shared/organizations/opening.ts';
import { creatingSteps } from '../../../shared/reminders/reminder.ts';
import type { Step } from '../../../shared/table/table.ts';
import type { Counterparty } from './counterparty.ts';
import type { MissedCallContext } from './missed-call-writes.ts';

/**
 * The steps that remind the user whose number was called to call back, if the policy says so: at once, or at the next opening. Nobody can
 * be called back who withheld the number.
 */
export function reminderToCallBack(
  { from, contactId, userId }: Call,
  counterparty: Counterparty | undefined,
  { table, platform, settings: { policy, hours }, ids, now }: MissedCallContext,
): { readonly id: string; readonly steps: readonly Step[] } | undefined {
  if (!policy.remind || counterparty === undefined || from === undefined) {
    return undefined;
  }
  const at = timestamp(now);
  const id = childId(contactId, ids.reminder);
  const steps = creatingSteps(
    { table, platform },
    {
      _id: id,
      contactId,
      createdBy: userId,
      note: `Call back ${from}: a call was missed.`,
      remindAt: timestamp(openingAt(hours, now).opensAt ?? now),
      fired: false,
      createdAt: at,
      updatedAt: at,
    },
  );
  return { id, steps };
}
