import type { StoredEvent } from '../../../shared/events/outbox.ts';
import type { MessageQueue } from '../../../shared/kernel/message-queue.ts';
import type { Progress } from './replay.ts';

/** A message of the queue `liveEvents`. It names records and holds none of their data. */
export type LiveJob = EventsJob | ReplayJob;

/** Events of one organization that are to be delivered, in the order in which they were written. */
export interface EventsJob {
  readonly kind: 'events';
  readonly organizationId: string;
  readonly eventIds: readonly string[];
  /** The only user that any of them is for. */
  readonly userId?: string;
}

/** The rest of a replay that took too long for one invocation. */
interface ReplayJob {
  readonly kind: 'replay';
  readonly organizationId: string;
  readonly connectionId: string;
  /** The id that the client has sent. */
  readonly since: string;
  readonly from: Progress;
  /** Makes the message another one than all before: the queue drops messages that it has had within 5 minutes. */
  readonly turn: string;
}

/** Queues events in the turn of their organization. @throws when the queue does not take them. */
export async function enqueueEvents(
  queue: MessageQueue,
  organizationId: string,
  events: readonly StoredEvent[],
): Promise<void> {
  const userId = onlyUserOf(events);
  const job: EventsJob = {
    ...{ kind: 'events', organizationId, eventIds: events.map(({ id }) => id) },
    ...(userId !== undefined && { userId }),
  };
  await queue.send(JSON.stringify(job), { group: organizationId });
}

/** Queues the rest of a replay in the turn of its organization, behind the events that wait. @throws when the queue does not take it. */
export async function enqueueReplay(queue: MessageQueue, rest: Omit<ReplayJob, 'kind'>): Promise<void> {
  const job: ReplayJob = { kind: 'replay', ...rest };
  await queue.send(JSON.stringify(job), { group: rest.organizationId });
}

/** The only user that any of these events is for; undefined if others may get one, too. */
function onlyUserOf(events: readonly StoredEvent[]): string | undefined {
  const [first, ...others] = new Set(
    events.map(({ audience }) => (audience.kind === 'user' ? audience.userId : undefined)),
  );
  return others.length === 0 ? first : undefined;
}
