import type { Key } from '../table/key.ts';

/** The message to a caller whose call nobody took. Source: specification, "Missed-call auto-message configuration". */
export interface MissedCallMessage {
  /** A template; `''` if there is none. */
  missedCallMessage: string;
  missedCallAutoMessageEnabled: boolean;
}

/** Code points that a message may have before its placeholders are filled in. Source: specification, "Limits". */
export const longestMessage = 500;

export const missedCallMessageKey = (): Key<MissedCallMessage> => ({
  partition: [],
  sort: ['MISSED_CALL_MESSAGE'],
});

/** Its key, and the values until somebody sets them. */
export const missedCallMessage = {
  key: missedCallMessageKey(),
  initial: { missedCallMessage: '', missedCallAutoMessageEnabled: false },
} as const;
