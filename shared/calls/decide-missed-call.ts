import { isVisible } from '../kernel/schemas/fields.ts';
import { minute } from '../kernel/time.ts';
import type { BusinessHours } from '../organizations/business-hours.ts';
import type { MissedCallPolicy } from '../organizations/missed-call-policy.ts';
import { openingAt } from '../organizations/opening.ts';
import type { MissedCallReason, MissedCallText } from './missed-call.ts';

export type MissedCallDecision =
  | { readonly outcome: 'sent'; readonly reason: 'open' | 'closed' }
  /** `at` is the next opening. */
  | { readonly outcome: 'scheduled'; readonly reason: 'closed'; readonly at: Date }
  | { readonly outcome: 'skipped'; readonly reason: MissedCallReason };

export interface MissedCall {
  /** Absent in a preview. A text that this call itself led to does not count as an earlier one. */
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

/** Decides on the text for a missed call. If there are several reasons to skip it, the first check that fails gives the reason. */
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
  if (!isVisible(text)) {
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

/** A scheduled text counts from the time it is due: a number that calls twice during a night gets one text in the morning. */
function isCoolingDown({ policy, lastText, callId }: MissedCall, sentAt: Date): boolean {
  if (lastText === undefined || lastText.callId === callId) {
    return false;
  }
  const between = Math.abs(sentAt.getTime() - Date.parse(lastText.at));
  return between < policy.cooldownMinutes * minute;
}
