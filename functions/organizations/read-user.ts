import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { dataResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { userKey } from '../../shared/organizations/user.ts';
import { toUserResponse, UserResponse } from '../../shared/organizations/user-response.ts';

export default operation({
  route: 'GET /api/users/{id}',
  tag: 'Users',
  summary: 'Read a user of the organization',
  family: 'plain',
  minimumRole: 'SALES_REP',
  output: dataResponse(UserResponse),
  failures: ['NOT_FOUND'],
  example: { path: { id: demo.rep } },
  uses: { table: 'read' },
  async run({ path }, { table }) {
    const user = await table.read(userKey(path.id));
    if (user === undefined) {
      throw notFound('User');
    }
    return ok({ data: toUserResponse(user.data) });
  },
});
