import { isDeepStrictEqual } from 'node:util';
import type { StoredContact } from '../contacts/contact.ts';
import { after, day } from '../kernel/time.ts';
import type { Key, Range } from '../table/key.ts';
import type { Action, TableWriter } from '../table/table.ts';
import { rowPart } from './job.ts';
import type { ContactWrite } from './record-table.ts';

/** How long a job can be reverted. Source: contacts at work 3. */
export const revertibleFor = 30 * day;

/** The values that a transaction gave a contact, and those before. */
export type FieldChanges = Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>;

/** One transaction of a job that wrote a contact. It is kept with the contact, so that it is erased with it. */
export interface FormerValues {
  readonly isCreation?: true;
  readonly fields: FieldChanges;
}

/** The transaction in a key, by the record and its step: a repeated one has the same. */
export const formerPart = (row: number, step: number): string => `${rowPart(row)}-${step}`;

export const formerKey = (contactId: string, jobId: string, part: string): Key<FormerValues> => ({
  partition: ['CONTACT', contactId],
  sort: ['FORMER', jobId, part],
});

/** All transactions of a job that wrote a contact, in their order. */
export const formerRange = (contactId: string, jobId: string): Range<FormerValues> => ({
  partition: ['CONTACT', contactId],
  under: ['FORMER', jobId],
});

/** Fields that follow from others, or are no values of the contact. */
const derived: ReadonlySet<string> = new Set([
  '_id',
  'organizationId',
  'updatedAt',
  'childrenDigest',
  'consents',
]);

/** The actions that note what a contact was before. */
export function formerActions(
  table: TableWriter,
  jobId: string,
  write: ContactWrite | undefined,
  part: string,
  now: Date,
): Action[] {
  const { contactId, status, before, after: changed } = write ?? {};
  if (contactId === undefined || status === 'deleted') {
    return [];
  }
  const former: FormerValues =
    status === 'created'
      ? { isCreation: true, fields: {} }
      : { fields: changed === undefined ? {} : fieldsBetween(before, changed) };
  return [
    table.put(formerKey(contactId, jobId, part), former, {
      expiresAt: after(now, revertibleFor + day),
    }),
  ];
}

function fieldsBetween(before: StoredContact | undefined, after: StoredContact): FieldChanges {
  const was = before as unknown as Readonly<Record<string, unknown>> | undefined;
  const is = after as unknown as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => !derived.has(name) && !isDeepStrictEqual(was?.[name], is[name]))
      .map((name) => [name, { before: was?.[name], after: is[name] }]),
  );
}
