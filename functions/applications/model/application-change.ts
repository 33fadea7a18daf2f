import type { StoredApplication } from '../../../shared/contact-aggregate/application.ts';
import { applicationEvent } from '../../../shared/contact-aggregate/application-events.ts';
import {
  type ContactAggregate,
  toContactState,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** An application as it is in its contact's aggregate, and as it will be. */
interface ChangedApplication {
  readonly aggregate: ContactAggregate;
  readonly before: StoredApplication;
  readonly after: StoredApplication;
}

/** The actions that write a changed application, the contact that it belongs to, and its event. */
export function changeActions(
  table: TableWriter,
  { aggregate, before, after }: ChangedApplication,
  eventId: string,
  now: Date,
): Action[] {
  const state = toContactState(aggregate);
  const applications = state.applications.map((application) =>
    application === before ? after : application,
  );
  return [
    ...contactWrites(table, aggregate, { ...state, applications }),
    eventAction(table, applicationEvent(state.contact, before, after), eventId, now),
  ];
}
