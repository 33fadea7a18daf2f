import * as demo from '../../shared/kernel/demo-ids.ts';
import { Failure, notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { messageResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { nameLockKey } from '../../shared/organizations/departments.ts';
import { departmentKey } from '../../shared/organizations/organization.ts';
import { readUsers } from '../../shared/organizations/visibility.ts';

export default operation({
  route: 'DELETE /api/departments/{id}',
  tag: 'Departments',
  summary: 'Delete a department',
  description:
    'A department that still has members is not deleted: the response is 409 and says how many there are.',
  family: 'plain',
  minimumRole: 'ADMIN',
  output: messageResponse(),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.spareDepartment } },
  uses: { table: 'write' },
  async run({ path }, { table }) {
    return table.optimistically(async () => {
      const stored = await table.read(departmentKey(path.id));
      if (stored === undefined) {
        throw notFound('Department');
      }
      // Read after the department: a user who joins later raises the version that the deletion requires.
      const users = await readUsers(table);
      const members = users.filter(({ departmentIds }) => departmentIds.includes(path.id)).length;
      if (members > 0) {
        throw new Failure(
          'CONFLICT',
          `The department has ${members} ${members === 1 ? 'member' : 'members'}. Remove them from it first.`,
        );
      }
      await table.commit([
        table.delete(stored.key, { ifVersion: stored.version }),
        table.delete(nameLockKey(stored.data.name)),
      ]);
      return ok({ message: 'Department deleted' });
    });
  },
});
