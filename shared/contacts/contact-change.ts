import { isDeepStrictEqual } from 'node:util';
import { given } from '../kernel/given.ts';
import type { EventChange } from '../live/event-change.ts';
import { consentOf } from './consent.ts';
import type { ContactChanges, StoredContact } from './contact.ts';

/** The fields of a contact whose change is an update. Its stage is none: a contact moves. */
const updatableFields = [
  'firstName',
  'lastName',
  'email',
  'phoneNumbers',
  'source',
  'owner',
  'assignees',
  'customFields',
  'tags',
  'isBulkImport',
] as const satisfies readonly (keyof ContactChanges)[];

/** What exactly an update of a contact changed. */
export function contactChange(before: StoredContact, after: StoredContact): EventChange {
  const { sms } = consentOf(after);
  const isConsent = consentOf(before).sms !== sms;
  const fields = updatableFields.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const addedTags = after.tags.filter((tag) => !before.tags.includes(tag));
  const assigned = newlyAssigned(before, after);
  return {
    fields: isConsent ? [...fields, 'consent'] : fields,
    ...given({
      addedTags: addedTags.length > 0 ? addedTags : undefined,
      assigned: assigned.length > 0 ? assigned : undefined,
      consent: isConsent ? sms : undefined,
    }),
  };
}

interface Assigned {
  readonly owner: string | null;
  readonly assignees: readonly string[];
}

/** The users who are new as owner or assignees, the owner first. */
export function newlyAssigned(before: Assigned, { owner, assignees }: Assigned): string[] {
  const newOwner = owner === null || owner === before.owner ? [] : [owner];
  return [...new Set([...newOwner, ...assignees.filter((one) => !before.assignees.includes(one))])];
}
