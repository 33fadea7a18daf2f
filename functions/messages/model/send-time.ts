import { Failure } from '../../../shared/kernel/failure.ts';
import { day } from '../../../shared/kernel/time.ts';
import { momentOf } from '../../../shared/time-range.ts';

/** Days ahead that a message can be scheduled: a year, whether or not it is a leap year. */
export const farthest = 366;

/** When a message is to be sent. @throws a 400 `Failure` for a time that is past, or too far ahead. */
export function sendTimeOf(sendAt: string, now: Date): Date {
  const time = momentOf(sendAt);
  const ahead = time.getTime() - now.getTime();
  // A message cannot be called back: what looks like a mistake is not sent at once.
  if (ahead <= 0 || ahead > farthest * day) {
    throw new Failure('INVALID', `sendAt must be in the future, and at most ${farthest} days ahead`);
  }
  return time;
}
