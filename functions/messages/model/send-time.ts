import { Failure } from '../../../shared/kernel/failure.ts';
import { parseMoment } from '../../../shared/organizations/written-times.ts';

/** When a message is to be sent. @throws a 400 `Failure` for a time that is past, or more than a year ahead. */
export function parseSendTime(sendAt: string, zone: string, now: Date): Date {
  const time = parseMoment(sendAt, zone);
  // A message cannot be called back: what looks like a mistake is not sent at once.
  if (time <= now || time > aYearAfter(now)) {
    throw new Failure('INVALID', 'sendAt must be in the future, and at most a year ahead');
  }
  return time;
}

/** The same time on the same date of the next year, in UTC; after 29 February, on 1 March. */
function aYearAfter(now: Date): Date {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date;
}
