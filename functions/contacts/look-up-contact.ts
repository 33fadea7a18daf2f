import * as z from 'zod/mini';
import { findMatch, isMatch, matchFields, type Sought } from '../../shared/contact-aggregate/find-match.ts';
import { contactKey } from '../../shared/contacts/contact.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { readPhoneNumber } from '../../shared/contacts/read-phone-number.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { emailLimit, nameLimit, trimmedString } from '../../shared/kernel/schemas/fields.ts';
import { involvedPeople, readScope, sees } from '../../shared/organizations/visibility.ts';

export default operation({
  route: 'GET /api/contacts/lookup',
  summary: 'Look a contact up by phone number, email address or externalId',
  tool: {
    name: 'look_up_contact',
    when: 'When you have the whole phone number or email address of a contact, or the id that another system has for it.',
  },
  description:
    '`data` is null when there is no such contact, when you may not see it, and for a phone number that is none. The phone number may be in any usual notation with its country code, the email address in any case; `externalId` is compared exactly. Of several contacts with the email address, it is the oldest one that you may see. A contact is found as soon as it is created.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  query: z.object({
    phone: z.optional(trimmedString(nameLimit)),
    email: z.optional(trimmedString(emailLimit)),
    externalId: z.optional(trimmedString(nameLimit)),
  }),
  descriptions: {
    phone: 'A phone number, like `+44 20 7946 0958` or `0044-20-79460958`.',
    email: 'An email address.',
    externalId: 'The id that another system has for the contact.',
  },
  output: dataResponse(z.nullable(ContactResponse)),
  example: { query: { email: 'ada.lovelace@example.com' } },
  uses: { table: 'read' },
  async run({ query }, { table, caller }) {
    const sought = soughtBy(query);
    const [scope, { data }] = await Promise.all([readScope(caller, table), readPipelines(table)]);
    const { contactId } = sought === undefined ? {} : await findMatch(table, scope, sought);
    const found = contactId === undefined ? undefined : await table.read(contactKey(contactId));
    const isShown =
      sought !== undefined &&
      found !== undefined &&
      isMatch(found.data, sought) &&
      sees(scope, involvedPeople(found.data));
    return ok({
      data: isShown ? toContactResponse(found.data, stageById(data.pipelines, found.data.stageId)) : null,
    });
  },
});

/** Undefined if nothing can be found by it. @throws a 400 `Failure` unless exactly one parameter has a value. */
function soughtBy(query: { readonly [Match in Sought['match']]?: string | undefined }): Sought | undefined {
  const [match, ...others] = matchFields.filter((field) => query[field]);
  if (match === undefined || others.length > 0) {
    throw new Failure('INVALID', 'Send exactly one of phone, email and externalId.');
  }
  const written = query[match] ?? '';
  const value = match === 'phone' ? readPhoneNumber(written)?.value : written;
  return value === undefined ? undefined : { match, value };
}
