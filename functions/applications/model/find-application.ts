import type { StoredApplication } from '../../../shared/contact-aggregate/application.ts';
import { applicationKey } from '../../../shared/contact-aggregate/application.ts';
import {
  type ContactAggregate,
  readAggregateWith,
} from '../../../shared/contact-aggregate/contact-aggregate.ts';
import type { StoredContact } from '../../../shared/contacts/contact.ts';
import { contactKey } from '../../../shared/contacts/contact.ts';
import { readOwner } from '../../../shared/contacts/holdings.ts';
import type { Caller } from '../../../shared/kernel/caller.ts';
import { contactIdIn } from '../../../shared/kernel/child-id.ts';
import { notFound } from '../../../shared/kernel/failure.ts';
import { involvedPeople, readScope, sees } from '../../../shared/organizations/visibility.ts';
import type { Stored, TableReader } from '../../../shared/table/table.ts';

/**
 * An application with its contact, which the caller may see, in one round trip unless the contact was merged or separated.
 * @throws a 404 `Failure` otherwise.
 */
export async function findApplication(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<{ application: StoredApplication; contact: StoredContact }> {
  const [application, home, scope] = await Promise.all([
    table.read(applicationKey(id)),
    table.read(contactKey(contactIdIn(id))),
    readScope(caller, table),
  ]);
  const contact = await readOwner(table, application?.data, home);
  const isVisible =
    application !== undefined && contact !== undefined && sees(scope, involvedPeople(contact.data));
  if (!isVisible) {
    throw notFound('Application');
  }
  return { application: application.data, contact: contact.data };
}

/**
 * An application with its contact's aggregate, for a change of the application.
 * @throws a 404 `Failure` if the caller may not see it.
 */
export async function findApplicationAggregate(
  table: TableReader,
  caller: Caller,
  id: string,
): Promise<{ application: Stored<StoredApplication>; aggregate: ContactAggregate }> {
  const [aggregate, scope] = await Promise.all([
    readAggregateWith(table, applicationKey(id)),
    readScope(caller, table),
  ]);
  const application = aggregate?.applications.find(({ data }) => data._id === id);
  const isVisible =
    aggregate !== undefined &&
    application !== undefined &&
    sees(scope, involvedPeople(aggregate.contact.data));
  if (!isVisible) {
    throw notFound('Application');
  }
  return { application, aggregate };
}
