import { erasureSteps } from '../contacts/erased-contact.ts';
import type { Ports } from '../kernel/operation.ts';
import type { Step } from '../table/table.ts';
import type { ContactAggregate } from './contact-aggregate.ts';
import { aggregateSteps } from './contact-writes.ts';

type Tables = Ports<{ table: 'write'; platform: 'write' }>;

/** Of the 100 steps of a transaction; the rest is for the operation. */
const maxSteps = 95;

/**
 * The steps that delete a contact with its conversations and applications, and remember for a while that it was deleted. Its
 * separation data is deleted later.
 */
export const contactDeletion = (tables: Tables, aggregate: ContactAggregate, now: Date): Step[] => [
  ...aggregateSteps(tables.table, aggregate, undefined),
  ...erasureSteps(tables, aggregate.contact.data, now),
];

/** Whether one transaction can delete the contact with all that it has. */
export const isDeletedAtOnce = (tables: Tables, aggregate: ContactAggregate, now: Date): boolean =>
  contactDeletion(tables, aggregate, now).length <= maxSteps;
