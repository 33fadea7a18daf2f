import * as z from 'zod/mini';
import { needsUsers } from '../../shared/board/board-plan.ts';
import { ContactResponse } from '../../shared/contacts/contact-response.ts';
import { findContact } from '../../shared/contacts/find-contact.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { anywhere, duplicateReasons, readDuplicates } from './model/joining/duplicates.ts';

export default operation({
  route: 'GET /api/contacts/{id}/duplicates',
  summary: 'Find contacts that may be the same person',
  description:
    'At most 50 contacts in your scope, those with the strongest reasons first: a number whose last eight digits are the same, the same email address, or the same first and last name, in any case and with or without accents. What you read counts as reading a board does.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: dataResponse(
    z.array(
      described(z.object({ contact: ContactResponse, reasons: z.array(z.enum(duplicateReasons)) }), {
        contact: 'The other contact.',
        reasons: 'What both have in common.',
      }),
    ),
  ),
  failures: ['NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  limits: [readPolicy],
  example: { path: { id: demo.ada } },
  uses: { table: 'read', rateLimits: 'limit' },
  async run({ path }, { table, rateLimits, caller, now }) {
    return rateLimits.limitReads(caller.userId, async () => {
      const [{ data: contact }, pipelines, users] = await Promise.all([
        findContact(table, caller, path.id),
        readPipelines(table),
        needsUsers(caller, anywhere) ? readUsers(table) : [],
      ]);
      // No range of times is asked for, so that the zone does not matter.
      const viewer = { caller, users, zone: 'UTC' };
      return ok({ data: await readDuplicates(table, contact, pipelines, viewer, now) });
    });
  },
});
