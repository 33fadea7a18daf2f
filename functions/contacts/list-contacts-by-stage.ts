import * as z from 'zod/mini';
import { readPipelines } from '../../shared/contacts/pipeline.ts';
import { readPolicy } from '../../shared/kernel/limit-policy.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../shared/kernel/schemas/fields.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';
import { readZoneFor } from '../../shared/organizations/zone-for.ts';
import { readBoard } from './model/board.ts';
import { needsUsers } from './model/board-plan.ts';
import { BoardQuery, rangeEnds } from './model/board-query.ts';
import { BoardContactResponse } from './model/board-response.ts';
import { loadCustomFieldTests } from './model/custom-filters.ts';

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
  descriptions: {
    page: 'Page numbers from 1, by stage id, or by stage name in any case; a stage left out is at page 1, an unknown stage is ignored.',
    size: 'Contacts per stage, 1 to 100.',
    search:
      'Text to find in the first name, last name, "first last", "last first" or a phone number. Neither case (`ß` is `ss`) nor accents, vowel points, invisible characters or the kind of an apostrophe, hyphen or blank matter. Phone numbers are also found in any usual notation: by their digits alone, with `00`, `tel:` or a national `0` in front.',
    ownerFilter: '`my`, `all`, `team`, `unassigned`, or the id of a user.',
    pipelineType: 'Whether the board shows contacts or applications.',
    pipelineId: 'Takes precedence over `pipelineType`. By default, the active pipeline of that type.',
    createdDateRange:
      'Only contacts (on a board of applications: only applications) created in this range, both ends inclusive.',
    dateRange: 'Kept for old clients; `createdDateRange` takes precedence.',
    source: 'Only contacts with this source, in any case; ignored on boards of applications.',
    owner:
      'User ids: only contacts that one of these users created, owns or is assigned to. Overrides `ownerFilter`. At most 1,000.',
    assignee:
      'User ids: only contacts with a conversation that one of these users is assigned to. At most 1,000.',
    status: 'Only this stage, by id or else by name in any case.',
    customFilters:
      'Values by name of a custom field. A string is a regular expression in RE2 syntax that ignores case (`ß` is `ss`), not accents, and looks at the first 4,096 characters of the field; numbers and booleans must be equal; an array matches if any of its values does. Expressions that would take too long are refused: words without repetitions cost the least.',
    stages: 'Names of the stages to return, in any case, in this order.',
    stageIdByName: 'The ids of the stages in `stages`, by name; entries outside the pipeline are ignored.',
    bulkOnly: 'Only contacts that came with a bulk import.',
    messageStatus:
      '`answered`: the last message went out; `unanswered`: the last message came in. Messages that failed or were not delivered do not count, nor do texts that the service or a workflow sends by itself: whoever got nothing else still waits.',
    lastMessageTimeRange: 'Only contacts without a message in this period, which ends now.',
    lastMessageDateRange: 'Only contacts whose last message is in this range, both ends inclusive.',
  },
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
