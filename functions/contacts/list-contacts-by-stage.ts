import * as z from 'zod/mini';
import { readBoard } from '../../shared/board/board.ts';
import { needsUsers } from '../../shared/board/board-plan.ts';
import { BoardQuery, boardDescriptions, rangeEnds } from '../../shared/board/board-query.ts';
import { BoardContactResponse } from '../../shared/board/board-response.ts';
import { loadCustomFieldTests } from '../../shared/board/custom-filters.ts';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';

export default operation({
  route: 'POST /api/contacts',
  summary: 'List contacts grouped by pipeline stage: the board',
  tool: {
    name: 'find_contacts',
    when: "To find a contact by name or phone number (`search`), or all contacts of some stages, tags or people. `ownerFilter: all` looks at everybody's.",
  },
  description: [
    'Each column lists its contacts, newest first (at equal times, the higher id first), and the exact number of all that match. Whatever the filters ask for, you see only contacts in your scope. Without an active pipeline of the type, the board is empty. On a board of applications, each column lists the contacts of the applications in that stage, newest application first: a contact appears once for each of its applications, with its `applicationId`. An empty value (`""`, `[]` or null) filters nothing, as a field and as a part of one.',
    'How much a user may read is [limited](#/Contacts). Beyond that, every board returns 429, and `Retry-After` says how many seconds to wait.',
  ].join('\n\n'),
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: BoardQuery,
  descriptions: boardDescriptions,
  output: described(
    z.object({
      data: z.record(
        anyString,
        described(z.object({ contacts: z.array(BoardContactResponse), total: z.int() }), {
          contacts: 'The contacts of this page of the column.',
          total: 'How many contacts match in the whole column.',
        }),
      ),
      stageIdByName: z.record(anyString, anyString),
    }),
    {
      data: 'The columns by stage name, in the order of the board.',
      stageIdByName: 'The ids of these stages by name.',
    },
  ),
  failures: ['NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  limits: [readPolicy],
  example: { body: { size: 10, search: 'ada', ownerFilter: 'all', page: { New: 1 } } },
  uses: { table: 'read', rateLimits: 'limit' },
  async run({ body: query }, { table, rateLimits, caller, now }) {
    const customFields = await loadCustomFieldTests(query.customFilters);
    return rateLimits.limitReads(caller.userId, async () => {
      const [pipelines, users, zone] = await Promise.all([
        readPipelines(table),
        needsUsers(caller, query) ? readUsers(table) : [],
        readZoneFor(table, ...rangeEnds(query)),
      ]);
      return readBoard(table, { query, pipelines, viewer: { caller, users, zone }, customFields, now });
    });
  },
});
