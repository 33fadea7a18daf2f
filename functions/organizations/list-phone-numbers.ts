import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { described } from '../../shared/kernel/schemas/descriptions.ts';
import { userNumbersRange } from '../../shared/organizations/phone-assignments.ts';
import { findOrganization } from './model/organization-record.ts';
import { PhoneAssignmentResponse, toPhoneAssignmentResponse } from './model/phone-assignment-response.ts';
import { readUsersById } from './model/users-by-id.ts';

export default operation({
  route: 'GET /api/organizations/{organizationId}/phone-numbers',
  summary: 'List the phone numbers of an organization',
  description:
    'Every number that is assigned to a user of the organization, ordered by `userName`, then by number. The list is complete: there is no next page.',
  family: 'organizations',
  minimumRole: 'SUPERADMIN',
  organization: 'path',
  output: described(z.object({ assignments: z.array(PhoneAssignmentResponse) }), {
    assignments: 'The phone numbers of the organization, ordered by the names of their users.',
  }),
  failures: ['NOT_FOUND'],
  example: { path: { organizationId: demo.organization } },
  uses: { table: 'read' },
  async run(_, { table }) {
    const [all] = await Promise.all([table.list(userNumbersRange()), findOrganization(table)]);
    const users = await readUsersById(
      table,
      all.filter(({ data }) => data.numbers.length > 0).map(({ data }) => data.userId),
    );
    const assignments = all.flatMap(({ data: { userId, numbers } }) => {
      const user = users.get(userId);
      return user === undefined
        ? []
        : numbers.map((assignment) => toPhoneAssignmentResponse(user, assignment));
    });
    // Created only here, because a collator takes long to load.
    const alphabetical = new Intl.Collator('en').compare;
    assignments.sort(
      (a, b) => alphabetical(a.userName, b.userName) || alphabetical(a.phoneNumber, b.phoneNumber),
    );
    return { assignments };
  },
});
