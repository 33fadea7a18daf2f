import { findAggregate, stateOf, withContact } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { edited, isUnchanged, shown } from '../../shared/contacts/contact.ts';
import { contactEvent } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { describedPhoneTaken } from '../../shared/contacts/phone-numbers.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { currentPipelines } from '../../shared/pipelines/known-pipelines.ts';
import { stageById } from '../../shared/pipelines/stages.ts';
import { timestamp } from '../../shared/time.ts';
import { assignableSteps } from './model/assignable.ts';
import { ContactFields, contactFieldDescriptions } from './model/contact-fields.ts';

export default operation({
  route: 'PUT /api/contacts/{id}',
  summary: 'Update a contact',
  description:
    'Fields you leave out keep their value; lists and customFields are replaced whole, null clears email, source and owner. Conversations of the former owner go to the new one, or to nobody; their assignees stay. The stage is moved by its own operation. An update that changes nothing emits no event and leaves updatedAt. A phone number belongs to one contact of the organization: 409 with the contactId of the one that has it.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: ContactFields,
  descriptions: contactFieldDescriptions,
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  detailedFailures: [describedPhoneTaken],
  example: { path: { id: demo.ada }, body: { lastName: 'King', tags: ['vip', 'speaker'] } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const [aggregate, { data }] = await Promise.all([
        findAggregate(table, caller, path.id),
        currentPipelines(table),
      ]);
      const before = aggregate.contact.data;
      const contact = edited(before, body, timestamp(now));
      const stage = stageById(data.pipelines, contact.stageId);
      if (isUnchanged(before, contact)) {
        return ok({ message: 'No changes', data: shown(before, stage) });
      }
      await table.commit([
        ...contactWrites(table, aggregate, withContact(stateOf(aggregate), contact)),
        ...assignableSteps(table, before, body, caller),
        eventStep(table, contactEvent('contact_updated', contact, stage, before), eventId, now),
      ]);
      return ok({
        message: 'Contact updated',
        data: shown(contact, stage),
      });
    });
  },
});
