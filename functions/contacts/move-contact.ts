import { toContactState } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { contactWrites } from '../../shared/contact-aggregate/contact-writes.ts';
import { moved } from '../../shared/contacts/contact.ts';
import { contactMoved } from '../../shared/contacts/contact-events.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { RequestedStageBody, requestedStageDescriptions } from '../../shared/contacts/stage-fields.ts';
import { requestedStage } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import { eventAction } from '../../shared/events/outbox.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { findToChange } from './model/find-to-change.ts';

export default operation({
  route: 'PUT /api/contacts/{id}/stage',
  summary: 'Move a contact to another stage',
  tool: {
    name: 'move_contact',
    when: 'When a contact has got further, or back. list_pipelines has the stages.',
  },
  description:
    'Name the stage by `stageId`, in any Contact pipeline, or by `stage`, its name in the pipeline `pipelineId` (by default the one that the contact is in). Moving a contact to the stage that it is already in changes nothing and emits no event.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: RequestedStageBody,
  descriptions: requestedStageDescriptions('Contact'),
  output: changeResponse(ContactResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.ada }, body: { stage: 'Contacted' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const { aggregate, before, pipelines, stage } = await findToChange(table, caller, path.id);
      const home = pipelines.find(({ _id }) => _id === before.pipelineId);
      const stageRef = requestedStage(pipelines, 'Contact', body, home);
      if (stageRef.stageId === before.stageId) {
        return ok({
          message: 'The contact is already in this stage',
          data: toContactResponse(before, stageRef.stage),
        });
      }
      const contact = moved(before, stageRef, timestamp(now));
      const from = stage?.name ?? '';
      await table.commit([
        ...contactWrites(table, aggregate, { ...toContactState(aggregate), contact }),
        eventAction(table, contactMoved(before, contact, stageRef.stage, from), eventId, now),
      ]);
      return ok({
        message: `Contact moved to ${stageRef.stage.name}`,
        data: toContactResponse(contact, stageRef.stage),
      });
    });
  },
});
