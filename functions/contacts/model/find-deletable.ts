import { applicationEvent } from '../../../shared/contact-aggregate/application-events.ts';
import {
  type ContactAggregate,
  findAggregate,
  toContactState,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import { isDeletedAtOnce } from '../../../shared/contact-aggregate/contact-deletion.ts';
import { contactWrites } from '../../../shared/contact-aggregate/contact-writes.ts';
import { eventAction } from '../../../shared/events/outbox.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import type { ClockAndIds, Ports } from '../../../shared/kernel/operation.ts';

/** Each takes up to four actions of a transaction: record, entry, counter and event. */
const applicationsAtOnce = 20;

/**
 * The aggregate of a contact that the caller may see, such that one transaction can delete it: even one with the most of everything,
 * of which some applications are deleted first.
 * @throws a 404 `Failure` if the caller may not see it; `VersionConflict` if somebody else changes it at this moment.
 */
export async function findDeletable(
  { table, platform }: Ports<{ table: 'write'; platform: 'write' }>,
  caller: Caller,
  contactId: string,
  { now, newId }: ClockAndIds,
): Promise<ContactAggregate> {
  const aggregate = await findAggregate(table, caller, contactId);
  if (aggregate.applications.length === 0 || isDeletedAtOnce({ table, platform }, aggregate, now)) {
    return aggregate;
  }
  const state = toContactState(aggregate);
  const deleted = state.applications.slice(0, applicationsAtOnce);
  const actions = [
    ...contactWrites(table, aggregate, { ...state, applications: state.applications.slice(deleted.length) }),
    ...deleted.map((application) =>
      eventAction(table, applicationEvent(state.contact, application, undefined), newId(), now),
    ),
  ];
  await table.commit(actions, { isAhead: true });
  return findDeletable({ table, platform }, caller, contactId, { now, newId });
}
