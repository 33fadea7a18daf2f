import * as z from 'zod/mini';
import { findContact } from '../../shared/contacts/find-contact.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Id } from '../../shared/kernel/schemas/fields.ts';
import { IsoDateTime, parseMoment } from '../../shared/organizations/written-times.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { findWorkflow } from './model/definition/find-workflow.ts';
import { topics } from './model/definition/topics.ts';
import { SimulationResponse } from './model/simulation/simulation-response.ts';

/** Ids hold a time; these years are enough for every workflow. */
const isInYears = (at: Date) => at.getUTCFullYear() >= 2000 && at.getUTCFullYear() < 2100;

/** Bytes of JSON: more than any event has. Each step reads them, and its rules compare them. */
const eventLimit = 100 * 1024;

const EventFields = z
  .record(z.string(), z.unknown())
  .check(
    z.refine(
      (event) => Buffer.byteLength(JSON.stringify(event)) <= eventLimit,
      `must have at most ${eventLimit / 1024} KB as JSON`,
    ),
  );

export default operation({
  route: 'POST /api/workflows/{id}/simulate',
  summary: 'Simulate a workflow',
  tool: {
    name: 'simulate_workflow',
    when: 'To see what a workflow would do for a contact. Nothing happens: do it before run_workflow.',
  },
  description: [
    'Shows what the workflow would do if the event happened to the contact and the workflow were enabled as it is now, even if it is a draft or disabled: the same steps with the same reasons as a run, with the rights of its owner, and the texts as they would read. Nothing is written, sent or notified.',
    'A wait is over at once; a wait for an event goes the way `timeout` unless `decisions` says `received`. Without `contactId` it is an example contact, Alex Example. At most 200 steps are followed, for at most 5 seconds; `runs` has the runs that were begun. [Workflows](#/Workflows) says how a simulation differs from a run.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  // The largest graph takes a second of a core.
  share: { atOnce: 120, eachSecond: 1 },
  body: z.object({
    topic: z.enum(topics),
    contactId: z.optional(Id),
    event: z._default(EventFields, {}),
    at: z.optional(
      IsoDateTime.check(
        z.refine((at) => isInYears(parseMoment(at, 'UTC')), {
          error: 'must be a time from 2000 to 2099',
        }),
      ),
    ),
    decisions: z._default(z.record(z.string(), z.enum(['received', 'timeout'])), {}),
  }),
  descriptions: {
    topic: 'What happens. Each trigger for it is tried.',
    contactId: 'The contact that it happens to.',
    event:
      'What `event.…` names in rules and texts; `event.contactId` and `event.at` are there without it, and for `manual.started` `event.userId`, which is you. At most 100 KB as JSON, more than any event has.',
    at: 'When it happens; now by default. A time without an offset is in the time zone of the organization.',
    decisions: 'How waits for an event end: `received` or `timeout`, by the id of the node.',
  },
  output: dataResponse(SimulationResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: {
    path: { id: demo.workflow },
    body: { topic: 'application.created', contactId: demo.ada, at: '2027-01-15T09:00:00Z' },
  },
  uses: { table: 'read', objects: 'storedDocuments', stepOperations: 'simulate' },
  async run({ path, body }, { table, objects, stepOperations, caller, now, newId, deadline }) {
    const { contactId } = body;
    const { header, document } = await table.optimistically(() =>
      findWorkflow({ table, objects }, caller, path.id),
    );
    const input = {
      ...{ header: header.data, document, ...body },
      contact: contactId === undefined ? undefined : (await findContact(table, caller, contactId)).data,
      at: body.at === undefined ? now : parseMoment(body.at, await readZoneFor(table, body.at)),
    };
    // The greater part of the code: one that answers 404 does without.
    const { simulate } = await import('./model/simulation/simulate.ts');
    return ok({ data: await simulate({ table, stepOperations }, caller, input, { newId, deadline }) });
  },
});
