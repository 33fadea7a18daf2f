import * as z from 'zod/mini';
import { editedApplication, toApplicationResponse } from '../../shared/contact-aggregate/application.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { readFieldRules, withCheckedFields } from '../../shared/contacts/checked-fields.ts';
import { CustomFields } from '../../shared/contacts/custom-fields.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changeActions } from './model/application-change.ts';
import { findApplicationAggregate } from './model/find-application.ts';

export default operation({
  route: 'PUT /api/applications/{id}',
  summary: 'Update an application',
  description:
    'Fields you leave out keep their value; `customFields` is replaced as a whole. To change the stage, use `PUT /api/applications/{id}/stage`. An update that changes nothing emits no event and keeps `updatedAt`.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.object({ name: z.optional(Name), customFields: z.optional(CustomFields) }),
  descriptions: {
    name: 'What the contact applies for.',
    customFields: 'Any JSON values by name, at most 50 keys and 16 KB; replaced as a whole.',
  },
  output: changeResponse(ApplicationResponse),
  failures: ['NOT_FOUND'],
  example: {
    path: { id: demo.application },
    body: { name: 'Trade account, extended', customFields: { limit: 7_500 } },
  },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const [{ application, aggregate }, { data }, rules] = await Promise.all([
        findApplicationAggregate(table, caller, path.id),
        readPipelines(table),
        readFieldRules(table, 'application', body),
      ]);
      const before = application.data;
      const fields = withCheckedFields(rules, body, before.customFields);
      const after = editedApplication(before, fields, timestamp(now));
      const response = toApplicationResponse(after, stageById(data.pipelines, after.stageId));
      if (after === before) {
        return ok({ message: 'No changes', data: response });
      }
      await table.commit(changeActions(table, { aggregate, before, after }, eventId, now));
      return ok({ message: 'Application updated', data: response });
    });
  },
});
