import * as z from 'zod/mini';
import { movedApplication, shownApplication } from '../../shared/applications/application.ts';
import { applicationEvent } from '../../shared/applications/application-events.ts';
import { ApplicationAnswer } from '../../shared/applications/application-response.ts';
import { filedIn } from '../../shared/contact-aggregate/contact-aggregate.ts';
import { filingSteps } from '../../shared/contact-aggregate/contact-writes.ts';
import * as demo from '../../shared/demo-ids.ts';
import { changeAnswer } from '../../shared/kernel/envelope.ts';
import { Id, Name } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { eventStep } from '../../shared/live/outbox.ts';
import { currentPipelines } from '../../shared/pipelines/known-pipelines.ts';
import { stageMeant } from '../../shared/pipelines/stages.ts';
import { optimistically } from '../../shared/table/optimistic.ts';
import { timestamp } from '../../shared/time.ts';
import { visibleApplicationDossier } from './model/find-application.ts';

export default operation({
  route: 'PUT /api/applications/{id}/stage',
  summary: 'Move an application to another stage',
  description:
    "By stageId, of any Application pipeline, or by a stage's name in the application's own pipeline. Moving an application to where it is changes nothing and emits no event.",
  family: 'plain',
  minimumRole: 'SALES_REP',
  body: z.object({ stageId: z.optional(Id), stage: z.optional(Name) }).check(
    z.refine(({ stageId, stage }) => stageId !== undefined || stage !== undefined, {
      path: ['stageId'],
      error: 'or stage is required',
    }),
  ),
  meanings: {
    stageId: 'The stage to move to. Goes before `stage`.',
    stage: "The name of a stage in the application's own pipeline.",
  },
  output: changeAnswer(ApplicationAnswer),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.application }, body: { stage: 'In review' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, caller, now, newId, random }) {
    const eventId = newId();
    return optimistically(random, async () => {
      const [{ application, dossier }, { data }] = await Promise.all([
        visibleApplicationDossier(table, caller, path.id),
        currentPipelines(table),
      ]);
      const before = application.data;
      const home = data.pipelines.find(({ _id }) => _id === before.pipelineId);
      const place = stageMeant(data.pipelines, 'Application', body, home);
      if (place.stageId === before.stageId) {
        return {
          success: true as const,
          message: 'The application is in this stage already',
          data: shownApplication(before, place.stage),
        };
      }
      const after = movedApplication(before, place, caller.userId, timestamp(now));
      const filed = filedIn(dossier);
      const applications = filed.applications.map((one) => (one === before ? after : one));
      await table.commit([
        ...filingSteps(table, dossier, { ...filed, applications }),
        eventStep(table, applicationEvent(filed.contact, before, after, data.pipelines), eventId, now),
      ]);
      return {
        success: true as const,
        message: `Application moved to ${place.stage.name}`,
        data: shownApplication(after, place.stage),
      };
    });
  },
});
