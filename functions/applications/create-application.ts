import * as z from 'zod/mini';
import {
  applicationLimit,
  newApplication,
  toApplicationResponse,
} from '../../shared/contact-aggregate/application.ts';
import { applicationEvent } from '../../shared/contact-aggregate/application-events.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { findAggregate, toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { readFieldRules, withCheckedFields } from '../../shared/contacts/checked-fields.ts';
import { CustomFields } from '../../shared/contacts/custom-fields.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { requestedStage } from '../../shared/contacts/stages.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id, Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';

export default operation({
  route: 'POST /api/applications',
  summary: 'Create an application',
  tool: { name: 'create_application', when: 'When a contact applies for something.' },
  description: `Creates an application for a contact that you can see. It enters the given stage, or else the first stage of the active Application pipeline. A contact can have at most ${applicationLimit} applications (409 beyond that).`,
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  status: 201,
  body: z.object({
    contactId: Id,
    name: Name,
    pipelineId: z.optional(Id),
    stageId: z.optional(Id),
    stage: z.optional(Name),
    customFields: z.optional(CustomFields),
  }),
  descriptions: {
    contactId: 'The contact who applies.',
    name: 'What the contact applies for.',
    pipelineId: 'An Application pipeline; the active one by default.',
    stageId: 'The stage to enter. Takes precedence over `stage`.',
    stage: 'The name of the stage to enter.',
    customFields: 'Any JSON values by name, at most 50 keys and 16 KB.',
  },
  output: changeResponse(ApplicationResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: {
    body: { contactId: demo.ada, name: 'Trade account', stage: 'Submitted', customFields: { limit: 5_000 } },
  },
  uses: { table: 'write' },
  async run({ body }, { table, caller, now, newId }) {
    const { contactId, name, customFields: sent = {}, ...requested } = body;
    const applicationId = childId(contactId, newId());
    const eventId = newId();
    return table.optimistically(async () => {
      const [aggregate, { data }, rules] = await Promise.all([
        findAggregate(table, caller, contactId),
        readPipelines(table),
        readFieldRules(table, 'application', { customFields: sent }),
      ]);
      const { customFields } = withCheckedFields(rules, { customFields: sent });
      const stageRef = requestedStage(data.pipelines, 'Application', requested);
      const state = toContactState(aggregate);
      if (state.applications.length >= applicationLimit) {
        throw new Failure(
          'CONFLICT',
          `The contact already has ${applicationLimit} applications, the maximum. Delete one first.`,
        );
      }
      const application = newApplication(
        applicationId,
        state.contact,
        stageRef,
        { userId: caller.userId, name, customFields },
        timestamp(now),
      );
      await table.commit([
        ...contactWrites(table, aggregate, { ...state, applications: [...state.applications, application] }),
        eventAction(table, applicationEvent(state.contact, undefined, application), eventId, now),
      ]);
      return ok({
        message: 'Application created',
        data: toApplicationResponse(application, stageRef.stage),
      });
    });
  },
});
