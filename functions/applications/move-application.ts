import { movedApplication, toApplicationResponse } from '../../shared/contact-aggregate/application.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { RequestedStageBody, requestedStageDescriptions } from '../../shared/contacts/stage-fields.ts';
import { requestedStage } from '../../shared/contacts/stages.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { changeActions } from './model/application-change.ts';
import { findApplicationAggregate } from './model/find-application.ts';

export default operation({
  route: 'PUT /api/applications/{id}/stage',
  summary: 'Move an application to another stage',
  tool: {
    name: 'move_application',
    when: 'When an application has got further, or back. list_pipelines has the stages.',
  },
  description:
    'Name the stage by `stageId`, in any Application pipeline, or by `stage`, its name in the pipeline `pipelineId` (by default the one that the application is in). Moving an application to the stage that it is already in changes nothing and emits no event.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: RequestedStageBody,
  descriptions: requestedStageDescriptions('Application'),
  output: changeResponse(ApplicationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.application }, body: { stage: 'In review' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const [{ application, aggregate }, { data }] = await Promise.all([
        findApplicationAggregate(table, caller, path.id),
        readPipelines(table),
      ]);
      const before = application.data;
      const home = data.pipelines.find(({ _id }) => _id === before.pipelineId);
      const stageRef = requestedStage(data.pipelines, 'Application', body, home);
      if (stageRef.stageId === before.stageId) {
        return ok({
          message: 'The application is already in this stage',
          data: toApplicationResponse(before, stageRef.stage),
        });
      }
      const after = movedApplication(before, stageRef, caller.userId, timestamp(now));
      await table.commit(changeActions(table, { aggregate, before, after }, eventId, now));
      return ok({
        message: `Application moved to ${stageRef.stage.name}`,
        data: toApplicationResponse(after, stageRef.stage),
      });
    });
  },
});
