import { isDeepStrictEqual } from 'node:util';
import { edited, newContact, type StoredContact, withOneNumber } from '../../../shared/contacts/contact.ts';
import { toPlaceholderSource } from '../../../shared/contacts/placeholder-contact.ts';
import type { StageRef } from '../../../shared/contacts/stages.ts';
import { sameNumberForm } from '../../../shared/kernel/names/same-numbers.ts';
import type { Timestamp } from '../../../shared/kernel/time.ts';
import type { StoredConfiguration } from './configuration.ts';
import { fieldsThatFit } from './fitting-fields.ts';
import type { Lead } from './lead.ts';

/** A configuration's values for contacts, if they still exist. */
export interface ContactDefaults {
  readonly source: string | null;
  readonly owner: string | null;
}

/** A contact for a lead with an unknown number or none, created by the configuration's creator. */
export function contactOfLead(
  id: string,
  { phoneNumber, extension, firstName, lastName, email, customData }: Lead,
  { userId, organizationId }: StoredConfiguration,
  { source, owner }: ContactDefaults,
  stageRef: StageRef,
  at: Timestamp,
): StoredContact {
  const creator = { userId, organizationId, homeOrganizationId: organizationId };
  const fields = {
    ...{ firstName, lastName, email, source, owner, customFields: Object.fromEntries(customData) },
    ...(phoneNumber === undefined ? { phoneNumbers: [] } : withOneNumber(phoneNumber, extension)),
  };
  return newContact(id, creator, stageRef, fields, at);
}

/**
 * The contact with a lead's data in its empty fields, and the lead's newer custom data. A placeholder name counts as empty, if the lead
 * has another.
 */
export function withLead(
  contact: StoredContact,
  lead: Lead,
  defaults: ContactDefaults,
  at: Timestamp,
): StoredContact {
  const isNameless =
    toPlaceholderSource(contact) !== undefined && (lead.firstName !== '' || lead.lastName !== '');
  const { firstName, lastName } = isNameless ? { firstName: '', lastName: '' } : contact;
  const fields = {
    firstName: firstName || lead.firstName,
    lastName: lastName || lead.lastName,
    email: contact.email ?? lead.email,
    source: contact.source || (defaults.source ?? contact.source),
    owner: contact.owner ?? defaults.owner,
    phoneNumbers: contact.phoneNumbers.map((entry) => withExtension(entry, lead)),
    customFields: fieldsThatFit(lead.customData, contact.customFields).fields,
  };
  return edited(contact, fields, at);
}

/** An entry of the contact; that of the lead's number has the lead's extension if it had none. */
function withExtension<Entry extends StoredContact['phoneNumbers'][number]>(
  entry: Entry,
  { phoneNumber = '', extension }: Lead,
): Entry {
  const isNew = extension !== undefined && entry.extension === undefined;
  return isNew && sameNumberForm(entry.value) === sameNumberForm(phoneNumber)
    ? { ...entry, extension }
    : entry;
}

/** The number of the lead's custom fields that did not fit into the contact. */
export function omittedFieldCount({ customFields }: StoredContact, { customData }: Lead): number {
  return [...customData].filter(([key, value]) => !isDeepStrictEqual(customFields[key], value)).length;
}
