import { minute, type Timestamp } from '../kernel/time.ts';
import type { BusinessHours } from '../organizations/business-hours.ts';
import type { MissedCallPolicy } from '../organizations/missed-call-policy.ts';
import { openingAt } from '../organizations/opening.ts';
import type { Key, Range } from '../table/key.ts';

/** What becomes of the text after a missed call. */
export const missedCallOutcomes = ['sent', 'scheduled', 'skipped'] as const;

/**
 * Why. Of a text that is sent or scheduled, whether the organization is `open` or `closed`; a text that hours alone prevent is skipped
 * for the same reasons.
 */
export const missedCallReasons = [
  'cooldown',
  'opted_out',
  'no_number',
  'switched_off',
  'no_message',
  'closed',
  'open',
] as const;
export type MissedCallReason = (typeof missedCallReasons)[number];

export type MissedCallDecision =
  | { readonly outcome: 'sent'; readonly reason: 'open' | 'closed' }
  /** `at` is the next opening. */
  | { readonly outcome: 'scheduled'; readonly reason: 'closed'; readonly at: Date }
  | { readonly outcome: 'skipped'; readonly reason: MissedCallReason };

/** The last text for missed calls of a number, written in the transaction that sends or schedules it. */
export interface MissedCallText {
  callId: string;
  /** When it was sent, or when a scheduled one is due. */
  at: Timestamp;
}

/** In the contact's partition, so that it is deleted with the contact. `number` is the caller's, in E.164. */
export const missedCallTextKey = (contactId: string, number: string): Key<MissedCallText> => ({
  partition: ['CONTACT', contactId],
  sort: ['MISSED_CALL_TEXT', number],
});

/** The last texts to each number of a contact. */
export const missedCallTextRange = (contactId: string): Range<MissedCallText> => ({
  partition: ['CONTACT', contactId],
  under: ['MISSED_CALL_TEXT'],
});

/** The last reminder to call a number back, written in the transaction that creates the reminder. */
export interface CallBack {
  reminderId: string;
}

/** In the contact's partition, so that it is deleted with the contact. `number` is the caller's, in E.164. */
export const callBackKey = (contactId: string, number: string): Key<CallBack> => ({
  partition: ['CONTACT', contactId],
  sort: ['CALL_BACK', number],
});

export interface MissedCall {
  /** Absent for a call that is only imagined. A text that this call itself led to does not count as an earlier one. */
  readonly callId?: string;
  readonly policy: MissedCallPolicy;
  readonly hours: BusinessHours;
  /** `missedCallAutoMessageEnabled` */
  readonly isSwitchedOn: boolean;
  /** As `missedCallText` fills it. */
  readonly text: string;
  /** Whether the caller has a number, and the organization one to send from. */
  readonly hasNumbers: boolean;
  readonly hasOptedOut: boolean;
  readonly lastText: MissedCallText | undefined;
  /** When the call ended, or when a scheduled text is due: hours, consent and policy may have changed by then. */
  readonly at: Date;
}

/** What becomes of the text for a missed call. Of several reasons to skip it, the first in the order of the checks is given. */
export function decideMissedCall(call: MissedCall): MissedCallDecision {
  const obstacle = obstacleTo(call);
  if (obstacle !== undefined) {
    return { outcome: 'skipped', reason: obstacle };
  }
  const decision = decideByHours(call);
  const sentAt = decision.outcome === 'scheduled' ? decision.at : call.at;
  return decision.outcome !== 'skipped' && isCoolingDown(call, sentAt)
    ? { outcome: 'skipped', reason: 'cooldown' }
    : decision;
}

function obstacleTo({
  isSwitchedOn,
  text,
  hasNumbers,
  hasOptedOut,
}: MissedCall): MissedCallReason | undefined {
  if (!isSwitchedOn) {
    return 'switched_off';
  }
  if (text.trim() === '') {
    return 'no_message';
  }
  if (!hasNumbers) {
    return 'no_number';
  }
  return hasOptedOut ? 'opted_out' : undefined;
}

function decideByHours({ policy: { sendWhen, otherwise }, hours, at }: MissedCall): MissedCallDecision {
  const { open, opensAt } = openingAt(hours, at);
  const reason = open ? 'open' : 'closed';
  if (sendWhen === 'always' || (sendWhen === 'business_hours') === open) {
    return { outcome: 'sent', reason };
  }
  return !open && otherwise === 'at_opening' && opensAt !== undefined
    ? { outcome: 'scheduled', reason: 'closed', at: opensAt }
    : { outcome: 'skipped', reason };
}

/** A scheduled text counts as of when it is due: a number that calls twice during a night gets one text in the morning. */
function isCoolingDown({ policy, lastText, callId }: MissedCall, sentAt: Date): boolean {
  if (lastText === undefined || lastText.callId === callId) {
    return false;
  }
  const between = Math.abs(sentAt.getTime() - Date.parse(lastText.at));
  return between < policy.cooldownMinutes * minute;
}
