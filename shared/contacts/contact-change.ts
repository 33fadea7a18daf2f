import { isDeepStrictEqual } from 'node:util';
import type { EventChange } from '../events/event-change.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { withoutNames } from '../kernel/names/same-names.ts';
import { firstAddress, toConsent } from './consent.ts';
import type { ContactChanges, StoredContact } from './contact.ts';
import { newlyAssigned } from './newly-assigned.ts';

/** The fields of a contact whose change is an update. The stage is not among them: changing it is a move. */
const updatableFields = [
  'firstName',
  'lastName',
  'email',
  'externalId',
  'phoneNumbers',
  'source',
  'owner',
  'assignees',
  'customFields',
  'tags',
  'isBulkImport',
] as const satisfies readonly (keyof ContactChanges)[];

/** The changes of an update of a contact. */
export function contactChange(before: StoredContact, after: StoredContact): EventChange {
  const { sms } = toConsent(after);
  const isConsent = toConsent(before).sms !== sms;
  // The contact may just have got another number, about which nobody has said anything new.
  const isStated = isConsent && toConsent(before, firstAddress(after)).sms !== sms;
  const fields = updatableFields.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return {
    fields: isConsent ? [...fields, 'consent'] : fields,
    ...contactAdditions(before, after),
    ...definedOnly({ consent: isStated ? sms : undefined }),
  };
}

/** The people and the tags that are new to a contact; without `before`, all that it begins with. */
export function contactAdditions(before: StoredContact | undefined, after: StoredContact): EventChange {
  const addedTags = withoutNames(after.tags, before?.tags ?? []);
  const assigned = newlyAssigned(before, after);
  return definedOnly({
    addedTags: addedTags.length > 0 ? addedTags : undefined,
    assigned: assigned.length > 0 ? assigned : undefined,
  });
}
