import * as z from 'zod/mini';
import { described } from '../../shared/kernel/descriptions.ts';
import { anyText } from '../../shared/kernel/fields.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { currentPipelines, knownPipelines } from '../../shared/pipelines/known-pipelines.ts';
import type { Pipelines } from '../../shared/pipelines/pipeline.ts';
import { stagesById } from '../../shared/pipelines/stages.ts';
import { usersOf } from '../../shared/visibility.ts';
import { readBoard } from './model/board.ts';
import { needsUsers, planBoard } from './model/board-plan.ts';
import { BoardQuery } from './model/board-query.ts';
import { BoardContactResponse, toBoardResponse } from './model/board-response.ts';
import { customFieldsFilter } from './model/custom-filters.ts';

export default operation({
  route: 'POST /api/contacts',
  summary: 'List contacts grouped by pipeline stage: the board',
  description:
    'A column holds its newest contacts first (equal times: the higher id first) and the exact number of all that match. Every role sees its own scope, whatever the filters ask for. Without an active pipeline of the type the board is empty. On a board of applications a column holds the contacts of the applications in that stage, the newest application first, each contact with its applicationId and once for each of its applications.',
  family: 'contacts',
  minimumRole: 'SALES_REP',
  body: BoardQuery,
  descriptions: {
    page: 'Page numbers from 1, by stage id or stage name; a missing stage is at page 1, an unknown one is ignored.',
    size: 'Contacts per stage, 1 to 100.',
    search:
      'Substring of first name, last name, "first last" or a phone number, whatever the case; for phone numbers also by digits alone.',
    ownerFilter: '`my`, `all`, `team`, `unassigned`, or the id of a user.',
    pipelineType: 'Of contacts, or of applications.',
    pipelineId: 'Decides over `pipelineType`. The active pipeline of the type when absent.',
    createdDateRange:
      'Window on createdAt, of the application on a board of applications; both ends inclusive.',
    dateRange: 'Kept for old clients: `createdDateRange` wins.',
    source: 'Equal to the source; boards of contacts only.',
    owner:
      'Users of whom one is creator, owner or assignee; overrides `ownerFilter`. An empty list filters nothing.',
    assignee: 'Users of whom one is assigned to a conversation of the contact.',
    status: 'One stage alone, by id or else by name.',
    customFilters:
      'By name of a custom field. A string is a regular expression, whatever the case, in RE2 syntax; numbers and booleans are equal; of an array, any matches, and an empty one filters nothing.',
    stages: 'Names of the stages wanted, in the order of the answer.',
    stageIdByName: 'Stage ids by the names in `stages`; entries outside the pipeline are ignored.',
    bulkOnly: 'Only contacts of a bulk import.',
    messageStatus: '`answered`: the last message went out; `unanswered`: the last message came in.',
    lastMessageTimeRange: 'Only contacts without a message within this time until now.',
    lastMessageDateRange: 'Window on the time of the last message, both ends inclusive.',
  },
  output: described(
    z.object({
      data: z.record(
        anyText,
        described(z.object({ contacts: z.array(BoardContactResponse), total: z.int() }), {
          contacts: 'The contacts of this page of the column.',
          total: 'How many contacts match in the whole column.',
        }),
      ),
      stageIdByName: z.record(anyText, anyText),
    }),
    {
      data: 'The columns by name of their stage, in the order of the board.',
      stageIdByName: 'The ids of these stages by name.',
    },
  ),
  failures: ['NOT_FOUND'],
  example: { body: { size: 10, search: 'ada', ownerFilter: 'all', page: { New: 1 } } },
  uses: { table: 'read' },
  async run({ body: query }, { table, caller, now }) {
    const customFields = await customFieldsFilter(query.customFilters);
    const asker = { caller, users: needsUsers(caller, query) ? await usersOf(table) : [] };
    const boardWith = async ({ pipelines }: Pipelines) =>
      readBoard(table, planBoard(query, pipelines, asker, now), customFields);

    // Reads the columns of the remembered pipelines beside the current pipelines: one round trip unless they changed.
    const known = knownPipelines(table);
    const early = known && boardWith(known.data);
    early?.catch(() => undefined); // Used only if the remembered pipelines are current.
    const current = await currentPipelines(table);
    const isCurrent = known?.version === current.version;
    const columns = (isCurrent ? await early : undefined) ?? (await boardWith(current.data));
    const stages = stagesById(current.data.pipelines);

    return {
      data: Object.fromEntries(
        columns.map(({ stage, contacts, total }) => [
          stage.name,
          { contacts: contacts.map((contact) => toBoardResponse(contact, stages)), total },
        ]),
      ),
      stageIdByName: Object.fromEntries(columns.map(({ stage }) => [stage.name, stage._id])),
    };
  },
});
