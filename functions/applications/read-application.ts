import { toApplicationResponse } from '../../shared/contact-aggregate/application.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { findApplication } from './model/find-application.ts';

export default operation({
  route: 'GET /api/applications/{id}',
  summary: 'Read an application',
  tool: { name: 'read_application', when: 'When you have the id of an application.' },
  description: 'Visible to everyone who can see its contact.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(ApplicationResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.application } },
  uses: { table: 'read' },
  async run({ path }, { table, caller }) {
    const [{ application }, { data }] = await Promise.all([
      findApplication(table, caller, path.id),
      readPipelines(table),
    ]);
    const stage = stageById(data.pipelines, application.stageId);
    return ok({ data: toApplicationResponse(application, stage) });
  },
});
