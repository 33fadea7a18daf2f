import { sameNumberForm } from '../kernel/names/same-numbers.ts';
import type { Timestamp } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';

/** The decision on the text after a missed call. */
export const missedCallOutcomes = ['sent', 'scheduled', 'skipped'] as const;

/**
 * Why. For a text that is sent or scheduled: whether the organization is `open` or `closed`. The same two say why a text is skipped only
 * because of the hours.
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

/** The last text for missed calls of a number, written in the transaction that sends or schedules it. */
export interface MissedCallText {
  callId: string;
  /** When it was sent, or when a scheduled one is due. */
  at: Timestamp;
}

/** In the contact's partition, so that it is deleted with the contact. `number` is the caller's, in E.164. */
export const missedCallTextKey = (contactId: string, number: string): Key<MissedCallText> => ({
  partition: ['CONTACT', contactId],
  sort: ['MISSED_CALL_TEXT', sameNumberForm(number)],
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
  sort: ['CALL_BACK', sameNumberForm(number)],
});
