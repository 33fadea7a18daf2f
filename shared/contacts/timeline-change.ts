import type { EventChange } from '../events/event-change.ts';
import type { Actor } from '../kernel/actor.ts';
import type { Timestamp } from '../kernel/time.ts';
import { joined, type Key, type Range } from '../table/key.ts';

/** The kinds of changes of a contact that its timeline tells of. */
export type ChangeType =
  | 'created'
  | 'updated'
  | 'stage_changed'
  | 'merged'
  | 'assigned'
  | 'application'
  | 'reminder'
  | 'workflow_step'
  | 'lead'
  | 'consent'
  | 'archived'
  | 'restored';

/** The records that an entry is about, by what they are. */
export type TimelineRefs = Readonly<Record<string, string>>;

/**
 * A change of a contact, for its timeline. It is kept with the contact and deleted with it. It has ids and the names of fields, stages and
 * applications, but no values of the contact.
 */
export interface TimelineChange {
  /** The id of its event, and what distinguishes it from others of that event. */
  _id: string;
  type: ChangeType;
  at: Timestamp;
  actor: Actor;
  refs: TimelineRefs;
  details: TimelineDetails;
}

/** What a summary says beside who did it. */
export type TimelineDetails = Pick<EventChange, 'fields' | 'assigned' | 'consent' | 'fromStage' | 'stage'> & {
  readonly application?: EventChange['application'];
  /** What became of a conversation. */
  readonly conversation?: 'assigned' | 'resolved' | 'reopened';
  /** How a run stands. */
  readonly run?: string;
  /** What a lead did. */
  readonly lead?: 'new' | 'changed' | 'unchanged';
};

/** After all other records of the contact, so that these are read without it. */
const kind = 'WHAT_HAPPENED';

export const timelineChangeKey = (contactId: string, id: string): Key<TimelineChange> => ({
  partition: ['CONTACT', contactId],
  sort: [kind, id],
});

export const timelineChangeRange = (contactId: string): Range<TimelineChange> => ({
  partition: ['CONTACT', contactId],
  under: [kind],
});

/** A contact with its separation data, but for the changes in its timeline. */
export const contactWithoutTimelineRange = (contactId: string): Range<unknown> => ({
  partition: ['CONTACT', contactId],
  between: { to: joined([kind]) },
});
