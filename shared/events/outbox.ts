import { decodeTime } from 'ulid';
import type { Actor, Origin } from '../kernel/actor.ts';
import { after, hour, type Timestamp, timestamp, utcHour } from '../kernel/time.ts';
import type { EventData } from '../notifications/event-schemas.ts';
import type {
  MessageNotificationRequest,
  NotificationRequest,
} from '../notifications/notification-request.ts';
import type { Cause } from '../table/cause.ts';
import type { Key } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import type { EventChange } from './event-change.ts';

export type { Cause };

export type EventName = keyof EventData;

/** The creator, owner and assignees of a record, for the visibility rule. */
export type People = readonly string[];

/** The users who may get an event. */
export type Audience =
  | { readonly kind: 'record'; readonly people: People; readonly formerly?: People }
  | { readonly kind: 'user'; readonly userId: string }
  | { readonly kind: 'users'; readonly userIds: readonly string[] }
  | { readonly kind: 'organization' };

/** An event as its cause's transaction writes it and `resume` replays it. */
export interface StoredEvent {
  id: string;
  event: EventName;
  at: Timestamp;
  data: Record<string, unknown>;
  audience: Audience;
  /** Who did it. Events of older versions have none. */
  actor: Actor;
  /** The request that it happened in, if there was one. Not in frames. */
  requestId?: string;
  /** The job that it is a part of, if there is one. Not in frames. */
  jobId?: string;
  /** Sockets do not get it by itself: `job_updated` tells them that a job has changed more. */
  isQuiet?: true;
  /** Starts no runs of workflows. */
  startsNoRuns?: true;
  /** Whom its cause notifies. Not in frames. */
  notify?: NotificationRequest | MessageNotificationRequest;
  /** The details of the change. Not in frames. */
  change?: EventChange;
  /** The workflow run that caused it, if any: it stops workflows from triggering each other forever. Not in frames. */
  causedBy?: Cause;
}

/** How long missed events can be replayed. Source: decisions 11. */
export const replayHours = 72;

/** Bytes that a frame may have. Source: decisions 11. */
const frameLimit = 32 * 1024;

/** An event that is not written yet. */
export type NewEvent = {
  [Name in EventName]: {
    readonly event: Name;
    readonly data: EventData[Name];
    readonly audience: Audience;
    /** Replaces `data` that does not fit into a frame: only the ids to read the rest. */
    readonly brief?: EventData[Name];
    /** Whom its cause notifies: `notify-users` stores the notifications soon after the transaction. */
    readonly notify?: NotificationRequest | MessageNotificationRequest | undefined;
    /** Details of the change that the data does not have. */
    readonly change?: EventChange | undefined;
    /** The run that led to it, if its transaction is not a step of that run. */
    readonly causedBy?: Cause | undefined;
    /** Who did it, if the service writes it by itself: the run that led to it unless stated. */
    readonly actor?: Actor | undefined;
  };
}[EventName];

/**
 * The action that writes an event in the transaction of its cause, so that neither exists without the other. An event whose id had to
 * follow that of a process with a clock ahead has the time of its id, not the earlier `now`.
 */
export function eventAction(
  table: TableWriter,
  { event, data, audience, brief, notify, change, causedBy, actor }: NewEvent,
  id: string,
  now: Date,
): Action {
  const happened = new Date(Math.max(now.getTime(), decodeTime(id)));
  const stored: StoredEvent = {
    ...{ id, event, at: timestamp(happened), data, audience },
    ...originIn(table, actor ?? (causedBy && runActor(causedBy))),
    ...(notify && { notify }),
    ...(change && { change }),
    ...(causedBy && { causedBy }),
  };
  const fits = Buffer.byteLength(toFrame(stored)) <= frameLimit;
  return table.put(eventKeyFor(id), fits ? stored : { ...stored, data: brief ?? {} }, {
    expiresAt: after(happened, (replayHours + 1) * hour),
  });
}

/** The origin of an event of the writer's organization. What the service does by itself may be for another actor, such as a run. */
export function originIn({ origin, organizationId }: TableWriter, actorOfService?: Actor): Origin {
  const { actor } = origin;
  switch (actor.type) {
    case 'system':
      return { ...origin, actor: actorOfService ?? actor };
    case 'user':
      return actor.organizationId === organizationId
        ? { ...origin, actor: { type: 'user', id: actor.id } }
        : origin;
    default:
      return origin;
  }
}

/** The run as an actor. */
export function runActor({ runId, workflowId }: Pick<Cause, 'runId' | 'workflowId'>): Actor {
  return { type: 'workflow', id: runId, workflowId };
}

/** The writer for somebody whom an operation that anyone may call has identified itself. */
export const actingAs = (table: TableWriter, actor: Actor): TableWriter => ({
  ...table,
  origin: { ...table.origin, actor },
});

/** The actions that write several events in the order of their ids, so that clients learn of them in that order. */
export function eventActions(
  table: TableWriter,
  events: readonly NewEvent[],
  ids: readonly string[],
  now: Date,
): Action[] {
  return events.map((event, index) => eventAction(table, event, ids[index] ?? '', now));
}

/** The event as one JSON text frame. */
export function toFrame({
  id,
  event,
  at,
  actor,
  data,
}: Pick<StoredEvent, 'id' | 'at' | 'data'> &
  Partial<Pick<StoredEvent, 'actor'>> & { readonly event: string }): string {
  return JSON.stringify({ id, event, at, actor, data });
}

/**
 * An event is in the hour of its id, even if it happened in the next one, because its invocation took long: so it can be found by its id
 * alone, and events are replayed in the order of their ids.
 */
export function eventKeyFor(id: string): Key<StoredEvent> {
  return eventKey(utcHour(new Date(decodeTime(id))), id);
}

export const eventKey = (hour: string, id: string): Key<StoredEvent> => ({
  partition: ['EVENTS', hour],
  sort: ['EVENT', id],
});
