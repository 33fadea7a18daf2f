import * as z from 'zod/mini';
import { applicationRange, toApplicationResponse } from '../../shared/contact-aggregate/application.ts';
import { ApplicationResponse } from '../../shared/contact-aggregate/application-response.ts';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readHeldPage } from '../../shared/contacts/holdings.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { readApplicationsInScope } from './model/applications-in-scope.ts';

export default operation({
  route: 'GET /api/applications',
  summary: 'List applications, newest first',
  tool: { name: 'list_applications', when: 'To find applications, of one contact or of all.' },
  description:
    'With `contactId`: the applications of that contact, which you must be able to see. Without it: those of all contacts that you can see, in every Application pipeline; any page may then be shorter than its limit.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object({ contactId: z.optional(Id), ...pageQuery }),
  descriptions: { contactId: 'Only applications of this contact.', ...pageDescriptions },
  output: listResponse(ApplicationResponse),
  failures: ['NOT_FOUND'],
  example: { query: { contactId: demo.ada } },
  uses: { table: 'read' },
  async run({ query: { contactId, ...paging } }, { table, caller }) {
    if (contactId === undefined) {
      const { applications, pipelines, nextCursor } = await readApplicationsInScope(table, caller, paging);
      return ok({ data: applications.map((application) => toResponse(application, pipelines)), nextCursor });
    }
    const finding = findContact(table, caller, contactId);
    const [{ records, nextCursor }, { data }] = await Promise.all([
      readHeldPage(table, contactId, finding, applicationRange, paging),
      readPipelines(table),
    ]);
    return ok({ data: records.map((record) => toResponse(record.data, data.pipelines)), nextCursor });
  },
});

function toResponse(
  application: Parameters<typeof toApplicationResponse>[0],
  pipelines: Parameters<typeof stageById>[0],
) {
  return toApplicationResponse(application, stageById(pipelines, application.stageId));
}
