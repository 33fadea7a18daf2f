import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { userRange } from '../../shared/organizations/user.ts';
import { toUserResponse, UserResponse } from '../../shared/organizations/user-response.ts';

export default operation({
  route: 'GET /api/users',
  tag: 'Users',
  summary: 'List the users of the organization',
  description:
    'The users whom you can mention and assign contacts to, oldest first, including disabled ones.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(UserResponse),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const { records, nextCursor } = await table.page(userRange(), { ...query, consistent: true });
    return ok({ data: records.map(({ data }) => toUserResponse(data)), nextCursor });
  },
});
