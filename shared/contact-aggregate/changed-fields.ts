import type { StoredContact } from '../contacts/contact.ts';
import { type ContactChangeFields, contactLimits } from '../contacts/contact-fields.ts';
import { CustomFields } from '../contacts/custom-fields.ts';
import { definedOnly } from '../kernel/defined-only.ts';
import { Failure } from '../kernel/failure.ts';
import { parsed } from '../kernel/http/invalid.ts';
import { differentNames, spelledAsBefore, withoutNames } from '../kernel/names/same-names.ts';

/**
 * The values that a request gives the fields of a contact; those that add or take away depend on the values before.
 * @param names the fields of the request, for errors.
 * @throws a 400 `Failure` when there would be too many tags, assignees or custom fields.
 */
export function changedFields(
  {
    tags: tagsBefore,
    customFields: fieldsBefore,
    source: sourceBefore,
    assignees: assigneesBefore,
  }: Pick<StoredContact, 'tags' | 'customFields' | 'source' | 'assignees'>,
  { addTags, removeTags, addAssignees, removeAssignees, setCustomFields, ...fields }: ContactChangeFields,
  names = { addTags: 'addTags', setCustomFields: 'setCustomFields' },
) {
  const replaced = fields.tags && spelledAsBefore(tagsBefore, fields.tags);
  const tags =
    addTags === undefined && removeTags === undefined
      ? replaced
      : changedTags(replaced ?? tagsBefore, addTags ?? [], removeTags ?? [], names.addTags);
  const assignees =
    addAssignees === undefined && removeAssignees === undefined
      ? fields.assignees
      : changedAssignees(fields.assignees ?? assigneesBefore, addAssignees ?? [], removeAssignees ?? []);
  const customFields =
    setCustomFields === undefined
      ? fields.customFields
      : changedCustomFields(fields.customFields ?? fieldsBefore, setCustomFields, names.setCustomFields);
  const [source = fields.source] =
    sourceBefore && fields.source ? spelledAsBefore([sourceBefore], [fields.source]) : [];
  return { ...fields, ...definedOnly({ tags, assignees, customFields, source }) };
}

function changedTags(
  before: readonly string[],
  added: readonly string[],
  removed: readonly string[],
  name: string,
): string[] {
  const tags = differentNames([...withoutNames(before, removed), ...added]);
  if (tags.length > contactLimits.tags) {
    throw new Failure('INVALID', `${name} must leave the contact with at most ${contactLimits.tags} tags`);
  }
  return tags;
}

function changedAssignees(
  before: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string[] {
  const gone = new Set(removed);
  const assignees = [...new Set([...before.filter((userId) => !gone.has(userId)), ...added])];
  if (assignees.length > contactLimits.assignees) {
    throw new Failure(
      'INVALID',
      `addAssignees must leave the contact with at most ${contactLimits.assignees} assignees`,
    );
  }
  return assignees;
}

function changedCustomFields(
  before: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
  name: string,
): Record<string, unknown> {
  const after = Object.fromEntries(
    Object.entries({ ...before, ...changes }).filter(([key]) => changes[key] !== null),
  );
  return parsed(CustomFields, after, name);
}
