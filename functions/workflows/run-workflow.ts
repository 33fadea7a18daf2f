import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, Id } from '../../shared/kernel/schemas/fields.ts';
import { whoHasRightsOfOwner } from './model/definition/rights-of-owner.ts';
import { maxContacts, startByHand } from './model/triggers/start-by-hand.ts';
import { contactNotFound, findStartable } from './model/triggers/startable.ts';

const started = described(z.object({ runId: anyString, contactId: anyString }), {
  runId: 'The run.',
  contactId: 'The contact it is for.',
});

const refused = described(z.object({ contactId: anyString, reason: anyString }), {
  contactId: 'The contact.',
  reason:
    'Why no run started for it: `contact_not_visible` (for the owner of the workflow), `owner_disabled`, `filter_not_met` (no such trigger lets the contact pass), `reentry` (by the setting of the workflow: a run for the contact is under way, or was), `rate_of_contact` (20 have started for the contact within an hour), `loop_guard` (only within a run), or `gone` (deleted at this moment, or the workflow disabled).',
});

export default operation({
  route: 'POST /api/workflows/{id}/run',
  summary: 'Run a workflow for contacts',
  tool: {
    name: 'run_workflow',
    when: 'To start a workflow for contacts, after simulate_workflow has shown what it does: it may send texts to people.',
  },
  description: [
    `Starts a run for each contact, at each trigger of the workflow with the event \`manual.started\` whose filter lets the contact pass. ${whoHasRightsOfOwner}`,
    'If one contact does not exist or you may not see it, the response is 404, and nothing starts. A contact for which no run may start is in `refused`, with the reason. If the workflow is disabled or has no trigger with that event, the response is 409.',
    'At most 50 runs start at once; the rest start later, at the `rate` of the workflow, and are `waiting` until then.',
  ].join('\n\n'),
  family: 'plain',
  minimumRole: 'SALES_REP',
  asStep: true,
  status: 201,
  share: { atOnce: 150, eachSecond: 5 },
  body: z
    .object({
      contactId: z.optional(Id),
      contactIds: z.optional(z.array(Id).check(z.minLength(1), z.maxLength(maxContacts))),
    })
    .check(
      z.refine(({ contactId, contactIds }) => (contactId === undefined) !== (contactIds === undefined), {
        path: ['contactId'],
        error: 'or contactIds is required, and not both',
      }),
    ),
  descriptions: {
    contactId: 'The contact to run it for.',
    contactIds: 'Instead of `contactId`: 1 to 100 contacts. One that is named twice counts once.',
  },
  output: changeResponse(
    described(z.object({ runs: z.array(started), refused: z.array(refused) }), {
      runs: 'The runs that started, in the order of the contacts.',
      refused: 'The contacts for which none did.',
    }),
  ),
  failures: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  detailedFailures: [
    {
      example: contactNotFound(demo.spareContact),
      details: {
        contactId: {
          description:
            'If one of several contacts was not found: which one. Absent for a string that cannot be an id.',
        },
      },
    },
  ],
  example: { path: { id: demo.followUpWorkflow }, body: { contactId: demo.hedy } },
  uses: { table: 'write', platform: 'write', objects: 'storedDocuments' },
  async run({ path, body }, { table, platform, objects, caller, now, newId, runId = newId() }) {
    const contactIds = [...new Set(body.contactIds ?? [body.contactId ?? ''])];
    const row = await findStartable(table, caller, path.id, contactIds);
    const data = await startByHand(
      { table, platform, objects },
      { row, contactIds, userId: caller.userId, requestId: runId },
      { now, newId },
    );
    const count = data.runs.length;
    return ok({ message: count === 1 ? '1 run started' : `${count} runs started`, data });
  },
});
