import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { stageById } from '../../shared/contacts/stages.ts';
import { toContactResponse } from '../../shared/contacts/to-contact-response.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { explainMerge, mergedFailure } from './model/joining/explain-merge.ts';

export default operation({
  route: 'GET /api/contacts/{id}',
  summary: 'Read a contact',
  tool: {
    name: 'read_contact',
    when: 'When you have the id of a contact: its fields, tags, stage and people.',
  },
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: dataResponse(ContactResponse),
  failures: ['NOT_FOUND'],
  detailedFailures: [
    {
      example: mergedFailure(demo.ada),
      details: { mergedInto: { description: 'For 30 days: the contact that it was merged into.' } },
    },
  ],
  example: { path: { id: demo.ada } },
  uses: { table: 'read' },
  async run({ path }, { table, caller, now }) {
    const [{ data: contact }, { data }] = await Promise.all([
      findContact(table, caller, path.id).catch((error) => explainMerge(table, path.id, error, now)),
      readPipelines(table),
    ]);
    return ok({ data: toContactResponse(contact, stageById(data.pipelines, contact.stageId)) });
  },
});
