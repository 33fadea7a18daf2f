import * as z from 'zod/mini';
import { matchFields } from '../../shared/contact-aggregate/find-match.ts';
import { prepareUpsert } from '../../shared/contact-aggregate/upsert-contact.ts';
import { readFieldRules } from '../../shared/contacts/checked-fields.ts';
import { ContactFields, contactFieldDescriptions } from '../../shared/contacts/contact-fields.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventActions } from '../../shared/events/outbox.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { risingIds } from '../../shared/kernel/rising-ids.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyBoolean, anyString, Id, Name } from '../../shared/kernel/schemas/fields.ts';
import { assignmentNotification } from '../../shared/notifications/notification-request.ts';
import { addWithinShare, trialLimits } from '../../shared/organizations/trial-records.ts';
import { readScope } from '../../shared/organizations/visibility.ts';
import { describedTaken, explainTaken } from './model/explain-taken.ts';

export default operation({
  route: 'POST /api/contacts/upsert',
  summary: 'Create a contact, or update the one that matches',
  tool: {
    name: 'upsert_contact',
    when: 'To store what you know about somebody who may be there already, by phone number, email address or externalId.',
  },
  description:
    '`match` names the field that finds the contact; it must be in the request. Without a match the contact is created (201, `created: true`), as by `POST /api/contacts/create`. With one (200, `created: false`), phone numbers and tags that it lacks are added, `customFields` are set key by key, where null removes one, and every other field of the request is set; a stage moves it, and an archived contact is restored. Equal requests at once create one contact. 409: another contact has a further number or the `externalId`, with its `contactId` if you may see it; or you may not see the contact that matches. Of several with the email address, the oldest that you may see is updated.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  status: 201,
  createsNothing: {
    when: ({ created }) => !created,
    message: 'Contact updated',
    differing: { created: false },
  },
  body: z.extend(ContactFields, {
    match: z.enum(matchFields),
    pipelineId: z.optional(Id),
    stageId: z.optional(Id),
    stage: z.optional(Name),
  }),
  descriptions: {
    ...contactFieldDescriptions,
    match: 'What finds the contact. For `phone` it is the primary entry of `phoneNumbers`.',
    phoneNumbers: `${contactFieldDescriptions.phoneNumbers} A contact that is found keeps those it has, as they are.`,
    tags: `${contactFieldDescriptions.tags} Added to those of a contact that is found.`,
    customFields:
      'Any JSON values by name, at most 50 keys and 16 KB. In a contact that is found the others stay; null removes one.',
    pipelineId: 'A Contact pipeline; for a new contact the active one by default.',
    stageId: 'The stage to enter. Takes precedence over `stage`.',
    stage: 'The name of the stage to enter, in any case.',
  },
  output: described(
    z.object({ success: z.literal(true), message: anyString, created: anyBoolean, data: ContactResponse }),
    {
      success: 'Always true.',
      message: 'What was done, in a sentence.',
      created: 'Whether the contact is new.',
      data: 'The contact as it is now.',
    },
  ),
  failures: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_ATTEMPTS'],
  limits: [trialLimits.contacts],
  detailedFailures: [describedTaken],
  example: {
    body: {
      match: 'externalId',
      externalId: 'crm-4711',
      firstName: 'Mary',
      lastName: 'Somerville',
      email: 'mary.somerville@example.com',
      tags: ['vip'],
    },
  },
  uses: { table: 'write', rateLimits: 'limit', trialPolicy: 'read' },
  async run({ body }, { table, rateLimits, trialPolicy, caller, now, newId }) {
    const { match, ...fields } = body;
    const ids = { contact: newId(), released: new Map() };
    // That a contact is restored and changed is told before the move.
    const nextId = risingIds(newId);
    const eventIds = [nextId(), nextId(), nextId()];

    const attempt = async () => {
      const [scope, { data }, rules] = await Promise.all([
        readScope(caller, table),
        readPipelines(table),
        readFieldRules(table, 'contact', { customFields: fields.customFields ?? {} }),
      ]);
      const given = {
        table,
        caller,
        scope,
        pipelines: data.pipelines,
        rules,
        assigned: assignmentNotification,
        now,
      };
      const plan = await prepareUpsert(given, { match, fields }, ids);
      const commit = () =>
        table.commit([...plan.actions, ...eventActions(table, plan.events, eventIds, now)]);
      if (plan.outcome === 'created') {
        const sources = { table, rateLimits, trialPolicy };
        await addWithinShare(sources, 'contacts', caller.organizationId, commit);
      } else if (plan.outcome === 'updated') {
        await commit();
      }
      return ok({
        message: messages[plan.outcome],
        created: plan.outcome === 'created',
        data: toContactResponse(plan.contact, plan.stage),
      });
    };
    return explainTaken(table, caller, () => table.optimistically(attempt));
  },
});

const messages = { created: 'Contact created', updated: 'Contact updated', unchanged: 'No changes' };
