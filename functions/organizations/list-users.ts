import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { listAnswer, pageMeanings, pageQuery } from '../../shared/kernel/paging.ts';
import { userRange } from '../../shared/organizations/user.ts';
import { shownUser, UserAnswer } from './model/user-response.ts';

export default operation({
  route: 'GET /api/users',
  tag: 'Users',
  summary: 'List the users of the organization',
  description:
    'For every role: whom to mention, and to assign contacts to. Disabled users included. Oldest first.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  meanings: pageMeanings,
  output: listAnswer(UserAnswer),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const { records, nextCursor } = await table.page(userRange(), { ...query, consistent: true });
    return { success: true as const, data: records.map(({ data }) => shownUser(data)), nextCursor };
  },
});
