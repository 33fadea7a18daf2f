import { assignableActions } from '../../shared/contact-aggregate/assignable.ts';
import { changedFields } from '../../shared/contact-aggregate/changed-fields.ts';
import {
  findAggregate,
  toContactState,
  withContact,
} from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import type { ReleasedLocks } from '../../shared/contact-aggregate/number-locks.ts';
import { readFieldRules, withCheckedFields } from '../../shared/contacts/checked-fields.ts';
import { edited, isUnchanged } from '../../shared/contacts/contact.ts';
import { contactEvent } from '../../shared/contacts/contact-events.ts';
import { ContactChangeFields, contactChangeDescriptions } from '../../shared/contacts/contact-fields.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { assignmentNotification } from '../../shared/notifications/notification-request.ts';
import { describedTaken, explainTaken } from './model/explain-taken.ts';

export default operation({
  route: 'PUT /api/contacts/{id}',
  summary: 'Update a contact',
  tool: {
    name: 'update_contact',
    when: 'To change fields, people or tags of a contact; `addTags` and `removeTags` keep its other tags.',
  },
  description: [
    'Fields you leave out keep their value; lists and `customFields` are replaced as a whole, while `addTags`, `removeTags`, `addAssignees`, `removeAssignees` and `setCustomFields` change what is there, so that simultaneous changes by others are kept; null clears `email`, `source` and `owner`. To change the stage, use `PUT /api/contacts/{id}/stage`. An update that changes nothing emits no event and keeps `updatedAt`.',
    'A phone number and an `externalId` belong to one contact of the organization: one that is taken is refused with 409, with the `contactId` of the contact that has it if you may see that contact. [Contacts](#/Contacts) says what a change of owner does.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: ContactChangeFields,
  descriptions: contactChangeDescriptions,
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  detailedFailures: [describedTaken],
  example: { path: { id: demo.ada }, body: { lastName: 'King', tags: ['vip', 'speaker'] } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    const released: ReleasedLocks = new Map();
    const attempt = async () => {
      const [aggregate, { data }, rules] = await Promise.all([
        findAggregate(table, caller, path.id),
        readPipelines(table),
        readFieldRules(table, 'contact', body),
      ]);
      const before = aggregate.contact.data;
      const sent = withCheckedFields(rules, body, before.customFields);
      const contact = edited(before, changedFields(before, sent), timestamp(now), released);
      const stage = stageById(data.pipelines, contact.stageId);
      if (isUnchanged(before, contact)) {
        return ok({ message: 'No changes', data: toContactResponse(before, stage) });
      }
      await table.commit([
        ...contactWrites(table, aggregate, withContact(toContactState(aggregate), contact), { released }),
        ...assignableActions(table, before, body, caller),
        eventAction(
          table,
          {
            ...contactEvent('contact_updated', contact, stage, before),
            notify: assignmentNotification(before, contact, caller.userId),
          },
          eventId,
          now,
        ),
      ]);
      return ok({
        message: 'Contact updated',
        data: toContactResponse(contact, stage),
      });
    };
    return explainTaken(table, caller, () => table.optimistically(attempt));
  },
});
