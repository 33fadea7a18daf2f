import { day } from '../kernel/time.ts';
import type { Key } from '../table/key.ts';

/** When a missed call is followed by a text at once. */
export const sendWhens = ['always', 'business_hours', 'outside_business_hours'] as const;

/** Decides about a text that may only be sent in business hours: it is not sent, or it waits for them. */
export const closedActions = ['skip', 'at_opening'] as const;

/** Decides what follows a missed call. */
export interface MissedCallPolicy {
  sendWhen: (typeof sendWhens)[number];
  otherwise: (typeof closedActions)[number];
  /** Minutes after a text in which the same number gets no other; 0 for none. */
  cooldownMinutes: number;
  /** Whether the user whose number was called gets a reminder to call back. */
  remind: boolean;
  /** Whether that user is notified. */
  notify: boolean;
}

/** The longest cool-down. A text is remembered this long, so that a longer cool-down, once set, counts for texts before it. */
export const longestCooldown = 30 * day;

export const missedCallPolicyKey = (): Key<MissedCallPolicy> => ({
  partition: [],
  sort: ['MISSED_CALL_POLICY'],
});

const initial: MissedCallPolicy = {
  sendWhen: 'always',
  otherwise: 'skip',
  cooldownMinutes: 60,
  remind: false,
  notify: true,
};

/** Its key, and the values until somebody sets them. */
export const missedCallPolicy = { key: missedCallPolicyKey(), initial } as const;
