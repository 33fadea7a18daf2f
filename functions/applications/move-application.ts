import * as z from 'zod/mini';
import { movedApplication, toApplicationResponse } from '../../shared/applications/application.ts';
import { ApplicationResponse } from '../../shared/applications/application-response.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeResponse, ok } from '../../shared/kernel/envelope.ts';
import { Id, Name } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { currentPipelines } from '../../shared/pipelines/known-pipelines.ts';
import { requestedStage } from '../../shared/pipelines/stages.ts';
import { changeSteps } from './model/application-change.ts';
import { findApplicationAggregate } from './model/find-application.ts';

export default operation({
  route: 'PUT /api/applications/{id}/stage',
  summary: 'Move an application to another stage',
  description:
    'Name the stage by `stageId`, in any Application pipeline, or by `stage`, its name in the pipeline `pipelineId`, which is the one that the application is in unless stated. Moving an application to the stage it is already in changes nothing and emits no event.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  body: z.object({ pipelineId: z.optional(Id), stageId: z.optional(Id), stage: z.optional(Name) }).check(
    z.refine(({ stageId, stage }) => stageId !== undefined || stage !== undefined, {
      path: ['stageId'],
      error: 'or stage is required',
    }),
  ),
  descriptions: {
    pipelineId:
      'The Application pipeline of the stage. By default, a name is one in the pipeline that the application is in.',
    stageId: 'The stage to move to. Takes precedence over `stage`.',
    stage: 'The name of a stage in the pipeline.',
  },
  output: changeResponse(ApplicationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.application }, body: { stage: 'In review' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId }) {
    const eventId = newId();
    return table.optimistically(async () => {
      const [{ application, aggregate }, { data }] = await Promise.all([
        findApplicationAggregate(table, caller, path.id),
        currentPipelines(table),
      ]);
      const before = application.data;
      const home = data.pipelines.find(({ _id }) => _id === before.pipelineId);
      const place = requestedStage(data.pipelines, 'Application', body, home);
      if (place.stageId === before.stageId) {
        return ok({
          message: 'The application is already in this stage',
          data: toApplicationResponse(before, place.stage),
        });
      }
      const after = movedApplication(before, place, caller.userId, timestamp(now));
      await table.commit(changeSteps(table, { aggregate, before, after }, eventId, now));
      return ok({
        message: `Application moved to ${place.stage.name}`,
        data: toApplicationResponse(after, place.stage),
      });
    });
  },
});
