import { forwardKey } from '../contacts/holdings.ts';
import { tombstoneActions } from '../contacts/tombstones.ts';
import type { Ports } from '../kernel/operation.ts';
import type { Action } from '../table/table.ts';
import type { ContactAggregate } from './contact-aggregate.ts';
import { aggregateActions } from './contact-writes.ts';

type Tables = Ports<{ table: 'write'; platform: 'write' }>;

/** The writes take at most this many of the 100 actions that a transaction can have; the rest is for the operation. */
const maxActions = 95;

/**
 * The actions that delete a contact with its conversations and applications, and remember for a while that it was deleted. Its
 * separation data is deleted later.
 */
export const contactDeletion = (tables: Tables, aggregate: ContactAggregate, now: Date): Action[] => [
  ...aggregateActions(tables.table, aggregate, undefined),
  // With a forward goes what is in the partition of the contact that was merged.
  ...(aggregate.contact.data.holdings?.mergedIds ?? []).map((id) => tables.table.delete(forwardKey(id))),
  ...tombstoneActions(tables, aggregate.contact.data, now),
];

/** Whether one transaction can delete the contact with all that it has. */
export const isDeletedAtOnce = (tables: Tables, aggregate: ContactAggregate, now: Date): boolean =>
  contactDeletion(tables, aggregate, now).length <= maxActions;
