import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { invitationRange } from './model/invitation.ts';
import { InvitationResponse, toInvitationResponse } from './model/invitation-response.ts';

export default operation({
  route: 'GET /api/users/invitations',
  tag: 'Users',
  summary: 'List the invitations of the organization, newest first',
  description:
    'Invitations are listed for 37 days: until 30 days after they expire, whether or not somebody accepted them. `mailStatus` says whether the email was sent; an email that could not be sent within a day is `failed`, and `mailProblem` says why.',
  family: 'plain',
  minimumRole: 'ADMIN',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(InvitationResponse),
  uses: { table: 'read' },
  async run({ query }, { table, now }) {
    const { records, nextCursor } = await table.page(invitationRange(), {
      ...query,
      descending: true,
      consistent: true,
    });
    return ok({ data: records.map(({ data }) => toInvitationResponse(data, now)), nextCursor });
  },
});
