import * as z from 'zod/mini';
import { needsUsers } from '../../shared/board/board-plan.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { readTagCounts } from './model/count-tags.ts';

export default operation({
  route: 'GET /api/tags',
  summary: 'List the tags of contacts, with how many have each',
  description:
    'Of the contacts in your scope, exactly, from the index that boards are searched with: [Tags](#/Tags) says how. Tags that differ in case alone are one, in the spelling that most contacts have. The list is complete, in alphabetical order. It draws on the same limit as a board.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  output: described(
    z.object({
      success: z.literal(true),
      data: z.array(
        described(z.object({ tag: anyString, count: z.int() }), {
          tag: 'The tag.',
          count: 'How many contacts in your scope have it.',
        }),
      ),
      nextCursor: z.null(),
    }),
    {
      success: 'Always true.',
      data: 'The tags, in alphabetical order.',
      nextCursor: 'Always null: there is no next page.',
    },
  ),
  failures: ['TOO_MANY_ATTEMPTS'],
  limits: [readPolicy],
  uses: { table: 'read', rateLimits: 'limit' },
  async run(_, { table, rateLimits, caller, now }) {
    return rateLimits.limitReads(caller.userId, async () => {
      const [{ data }, users] = await Promise.all([
        readPipelines(table),
        needsUsers(caller, { ownerFilter: 'all', owner: undefined }) ? readUsers(table) : [],
      ]);
      // No range of times is asked for, so that the zone does not matter.
      const viewer = { caller, users, zone: 'UTC' };
      return ok({ data: await readTagCounts(table, data.pipelines, viewer, now), nextCursor: null });
    });
  },
});
