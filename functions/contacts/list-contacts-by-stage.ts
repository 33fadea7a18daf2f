import * as z from 'zod';
import { boardPipeline, readBoard } from '../../shared/contacts/board.ts';
import { BoardQuery } from '../../shared/contacts/board-query.ts';
import { boardScope, needsUsers } from '../../shared/contacts/board-scope.ts';
import { Contact, shown } from '../../shared/contacts/contact.ts';
import { predicateOf } from '../../shared/contacts/filters.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { currentPipelines, knownPipelines } from '../../shared/pipelines/known-pipelines.ts';
import type { Pipelines } from '../../shared/pipelines/pipeline.ts';
import { usersOf } from '../../shared/visibility.ts';

export default operation({
  route: 'POST /api/contacts',
  summary: 'List contacts grouped by pipeline stage: the board',
  description:
    'A column holds its newest contacts first (equal times: the higher id first) and the exact number of all that match. Every role sees its own scope, whatever the filters ask for. Without an active pipeline of the type the board is empty.',
  family: 'contacts',
  allow: 'SALES_REP',
  body: BoardQuery,
  output: z.object({
    data: z
      .record(z.string(), z.object({ contacts: z.array(Contact), total: z.number().int() }))
      .describe('By stage name.'),
    stageIdByName: z.record(z.string(), z.string()),
  }),
  failures: ['NOT_FOUND'],
  example: { size: 20, ownerFilter: 'my', search: 'ada', page: { New: 1 } },
  uses: { table: 'read' },
  async run({ body: query }, { table, caller, now }) {
    const predicate = await predicateOf(query, now);
    const users = needsUsers(caller, query) ? await usersOf(table) : [];
    const scope = boardScope(caller, query, users);
    const boardWith = async ({ pipelines }: Pipelines) => {
      const pipeline = boardPipeline(pipelines, query);
      const { columns } = await readBoard(table, pipeline, query, scope, predicate);
      return columns;
    };

    // The columns known from the last board are read beside the pipelines themselves: one round trip, unless they changed.
    const known = knownPipelines(table);
    const [current, early] = await Promise.all([
      currentPipelines(table),
      known && boardWith(known.data).catch(() => undefined),
    ]);
    const isCurrent = known !== undefined && known.version === current.version;
    const columns = (isCurrent ? early : undefined) ?? (await boardWith(current.data));

    return {
      data: Object.fromEntries(
        columns.map(({ stage, column: { contacts, total } }) => [
          stage.name,
          { contacts: contacts.map((contact) => shown(contact, stage)), total },
        ]),
      ),
      stageIdByName: Object.fromEntries(columns.map(({ stage }) => [stage.name, stage._id])),
    };
  },
});
