import { timestamp } from '../../../../shared/kernel/time.ts';
import type { Cause } from '../../../../shared/table/cause.ts';
import type { Occurrence } from '../definition/topics.ts';

/** What starts a run that a user, or a step of another run, asks for. It has no event: `eventId` tells one request from another. */
export function manualOccurrence(
  contactId: string,
  { eventId, userId, causedBy }: { eventId: string; userId: string; causedBy?: Cause | undefined },
  now: Date,
): Occurrence {
  const at = timestamp(now);
  return {
    topic: 'manual.started',
    ...{ eventId, at, contactId },
    people: [],
    fields: { contactId, at, userId },
    ...(causedBy && { causedBy }),
  };
}
