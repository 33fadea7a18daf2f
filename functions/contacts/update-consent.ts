import * as z from 'zod/mini';
import { toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { toConsent, withConsent } from '../../shared/contacts/consent.ts';
import { contactSenders } from '../../shared/contacts/contact.ts';
import { contactEvent } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { findToChange } from './model/find-to-change.ts';

export default operation({
  route: 'PUT /api/contacts/{id}/consent',
  summary: 'Record whether a contact wants text messages',
  description:
    'For what the contact says elsewhere: on the phone, by email, on paper. It is recorded for all numbers that the contact has now, and [stays with them](#/Contacts). The contact itself opts out with a text message like STOP, and back in with START. While `sms` is `out`, text messages to the contact are refused with 409, and those that wait to be sent become `failed`. Emits `contact_updated`; recording the same consent again changes nothing, not even `since` and `source`. A provider that has blocked the number takes messages again only once the contact sends START.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: z.object({ sms: z.enum(['in', 'out']) }),
  descriptions: { sms: '`in`: the contact wants text messages. `out`: the contact wants none.' },
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.ada }, body: { sms: 'in' } },
  uses: { table: 'write' },
  async run({ path, body: { sms } }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { aggregate, before, stage } = await findToChange(table, caller, path.id);
      const addresses = contactSenders(before);
      const others = addresses.filter((address) => toConsent(before, address).sms !== sms);
      if (others.length === 0 && (addresses.length > 0 || toConsent(before).sms === sms)) {
        return ok({ message: 'No changes', data: toContactResponse(before, stage) });
      }
      const contact = withConsent(before, { sms, since: timestamp(now), source: 'user' }, others);
      await table.commit([
        ...contactWrites(table, aggregate, { ...toContactState(aggregate), contact }),
        eventAction(table, contactEvent('contact_updated', contact, stage, before), eventId, now),
      ]);
      return ok({
        message: sms === 'in' ? 'The contact wants text messages' : 'The contact wants no text messages',
        data: toContactResponse(contact, stage),
      });
    });
  },
});
