import { Failure } from '../kernel/failure.ts';
import { keys, type View } from '../table/keys.ts';
import type { Change, Step, TableWriter } from '../table/table.ts';
import { peopleOf } from '../visibility.ts';
import { cardOf } from './card.ts';
import { isUnassigned, type StoredContact } from './contact.ts';

/**
 * Filing: a contact has an entry under each view that shows it, beside counters that make the board's totals exact
 * without counting. Both change in the transaction that changes the contact.
 */

/** Counters are split, since transactions that meet on one item cancel each other. */
export const counterShards = 8;

/** A contact always counts in the same shard, so that no shard ever falls below zero. */
export function shardOf(contactId: string): number {
  let hash = 0;
  for (const char of contactId) {
    hash = (hash * 31 + char.charCodeAt(0)) >>> 0;
  }
  return hash % counterShards;
}

/** The views that show a contact. */
export function viewsOf(contact: StoredContact): View[] {
  const users = peopleOf(contact).map((userId): View => ['user', userId]);
  return [['all'], ...users, ...(isUnassigned(contact) ? [['unassigned'] as const] : [])];
}

interface Placement {
  readonly stageId: string;
  readonly view: View;
}

function placements(contact: StoredContact | undefined): Map<string, Placement> {
  return new Map(
    contact &&
      viewsOf(contact).map((view) => [[contact.stageId, ...view].join(), { stageId: contact.stageId, view }]),
  );
}

/**
 * The steps that file `after` in place of `before`: entries, counters and the locks of phone numbers. The counters' version
 * rises with every change of their column, so that a cache of it can tell that it is stale.
 * @param gate a condition on the counter that admits to the column, for contacts that enter a default stage.
 */
export function filingSteps(
  table: TableWriter,
  before: StoredContact | undefined,
  after: StoredContact | undefined,
  gate?: Pick<Change, 'when' | 'values'>,
): Step[] {
  const contact = after ?? before;
  if (contact === undefined) {
    return [];
  }
  const from = placements(before);
  const to = placements(after);
  const shard = shardOf(contact._id);
  const count = ({ stageId, view }: Placement, by: number, condition: Pick<Change, 'when' | 'values'> = {}) =>
    table.change(keys.boardCounter(stageId, view, shard), {
      update: by === 0 ? 'ADD v :one' : 'ADD n :by, v :one',
      ...condition,
      values: { ...condition.values, one: 1, ...(by === 0 ? {} : { by }) },
    });

  const steps: Step[] = [];
  for (const [name, placement] of to) {
    steps.push(
      table.put(keys.boardEntry(placement.stageId, placement.view, contact), cardOf(contact)),
      count(placement, from.has(name) ? 0 : 1, placement.view[0] === 'all' ? gate : {}),
    );
  }
  for (const [name, placement] of from) {
    if (!to.has(name)) {
      steps.push(
        table.erase(keys.boardEntry(placement.stageId, placement.view, contact)),
        count(placement, -1),
      );
    }
  }
  return [...steps, ...phoneLockSteps(table, before, after)];
}

/** A phone number belongs to one contact of the organization. Source: decisions 6, "Phone numbers". */
function phoneLockSteps(
  table: TableWriter,
  before: StoredContact | undefined,
  after: StoredContact | undefined,
): Step[] {
  const had = new Set(before?.phoneNumbers.map(({ value }) => value));
  const has = new Set(after?.phoneNumbers.map(({ value }) => value));
  const contactId = after?._id ?? '';
  return [
    ...[...had].filter((value) => !has.has(value)).map((value) => table.erase(keys.phone(value))),
    ...[...has]
      .filter((value) => !had.has(value))
      .map((value) =>
        table.add(
          keys.phone(value),
          { contactId },
          {
            otherwise: (taken) =>
              new Failure('CONFLICT', 'Another contact of this organization has this phone number.', {
                title: 'Phone number taken',
                details: { contactId: taken.contactId },
              }),
          },
        ),
      ),
  ];
}
