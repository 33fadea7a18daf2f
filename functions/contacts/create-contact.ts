import * as z from 'zod/mini';
import { assignableActions } from '../../shared/contact-aggregate/assignable.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import type { ReleasedLocks } from '../../shared/contact-aggregate/number-locks.ts';
import { readFieldRules, withCheckedFields } from '../../shared/contacts/checked-fields.ts';
import { withConsentsOfNumbers } from '../../shared/contacts/consent.ts';
import { newContact } from '../../shared/contacts/contact.ts';
import { contactEvent } from '../../shared/contacts/contact-events.ts';
import { ContactFields, contactFieldDescriptions } from '../../shared/contacts/contact-fields.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { assignmentNotification } from '../../shared/notifications/notification-request.ts';
import { addWithinShare, trialLimits } from '../../shared/organizations/trial-records.ts';
import { describedTaken, explainTaken } from './model/explain-taken.ts';

export default operation({
  route: 'POST /api/contacts/create',
  summary: 'Create a contact',
  tool: { name: 'create_contact', when: 'Once find_contacts has shown that the contact is not there yet.' },
  description:
    'The contact enters the given stage, or else the first stage of the active Contact pipeline. At least one of `firstName`, `lastName`, `email` and `phoneNumbers` is required. Its owner and its assignees are notified, except you. A phone number and an `externalId` belong to one contact of the organization: one that is taken is refused with 409, with the `contactId` of the contact that has it if you may see that contact. Until a SUPERADMIN approves an organization, it may add about 10,000 contacts a day, unless the operator of the service has switched that off; beyond that, the response is 429.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 201,
  body: z.extend(ContactFields, {
    pipelineId: z.optional(Id),
    stageId: z.optional(Id),
    stage: z.optional(Name),
  }),
  descriptions: {
    ...contactFieldDescriptions,
    pipelineId: 'A Contact pipeline; the active one by default.',
    stageId: 'The stage to enter. Takes precedence over `stage`.',
    stage: 'The name of the stage to enter.',
  },
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  limits: [trialLimits.contacts],
  detailedFailures: [describedTaken],
  example: {
    body: {
      firstName: 'George',
      lastName: 'Boole',
      email: 'george.boole@example.com',
      phoneNumbers: [{ value: '+1 (303) 555-0181', label: 'mobile' }],
      source: 'Referral',
      tags: ['vip'],
      customFields: { city: 'Lincoln' },
    },
  },
  uses: { table: 'write', rateLimits: 'limit', trialPolicy: 'read' },
  async run({ body }, { table, rateLimits, trialPolicy, caller, now, newId }) {
    const { pipelineId, stageId, stage, ...sent } = body;
    const ids = { contact: newId(), event: newId() };
    const released: ReleasedLocks = new Map();

    const create = async () => {
      const [{ data }, rules] = await Promise.all([
        readPipelines(table),
        readFieldRules(table, 'contact', { customFields: sent.customFields ?? {} }),
      ]);
      const fields = withCheckedFields(rules, sent);
      const stageRef = requestedStage(data.pipelines, 'Contact', { pipelineId, stageId, stage });
      const created = newContact(ids.contact, caller, stageRef, fields, timestamp(now));
      const contact = withConsentsOfNumbers(undefined, created, released);
      const state = { contact, conversations: [], applications: [] };
      await table.commit([
        ...contactWrites(table, undefined, state, { released }),
        ...assignableActions(table, undefined, fields, caller),
        eventAction(
          table,
          {
            ...contactEvent('contact_created', contact, stageRef.stage),
            notify: assignmentNotification(undefined, contact, caller.userId),
          },
          ids.event,
          now,
        ),
      ]);
      return ok({ message: 'Contact created', data: toContactResponse(contact, stageRef.stage) });
    };
    return addWithinShare({ table, rateLimits, trialPolicy }, 'contacts', caller.organizationId, () =>
      explainTaken(table, caller, () => table.optimistically(create)),
    );
  },
});
