import type { Key } from '../../../shared/table/key.ts';

/** What a caller who was missed is sent. Source: specification, "Missed-call auto-message configuration". */
export interface MissedCallMessage {
  /** A template; `''` when there is none. */
  missedCallMessage: string;
  missedCallAutoMessageEnabled: boolean;
}

/** Code points a message may have, before its placeholders are filled in. Source: specification, "Limits". */
export const longestMessage = 500;

export const missedCallMessageKey = (): Key<MissedCallMessage> => ({
  partition: [],
  sort: ['MISSED_CALL_MESSAGE'],
});

/** Where it lies, and what holds before anybody has set it. */
export const missedCallMessage = {
  key: missedCallMessageKey(),
  initial: { missedCallMessage: '', missedCallAutoMessageEnabled: false },
} as const;
