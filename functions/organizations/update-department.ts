import * as z from 'zod/mini';
import * as demo from '../../shared/kernel/demo-ids.ts';
import { notFound } from '../../shared/kernel/failure.ts';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { renameActions } from '../../shared/organizations/departments.ts';
import { departmentKey } from '../../shared/organizations/organization.ts';
import { DepartmentResponse } from './model/department-response.ts';

export default operation({
  route: 'PUT /api/departments/{id}',
  tag: 'Departments',
  summary: 'Rename a department',
  description:
    'Names are unique within the organization, ignoring case; a name that is taken is refused with 409. The previous name becomes available at once.',
  family: 'plain',
  minimumRole: 'ADMIN',
  body: z.object({ name: z.optional(Name) }),
  descriptions: { name: 'The name of the department.' },
  output: changeResponse(DepartmentResponse),
  failures: ['NOT_FOUND', 'CONFLICT'],
  example: { path: { id: demo.salesSouth }, body: { name: 'Sales Europe' } },
  uses: { table: 'write' },
  async run({ path, body }, { table, now }) {
    return table.optimistically(async () => {
      const stored = await table.read(departmentKey(path.id));
      if (stored === undefined) {
        throw notFound('Department');
      }
      const { name = stored.data.name } = body;
      if (name === stored.data.name) {
        return ok({ message: 'No changes', data: stored.data });
      }
      const data = { ...stored.data, name, updatedAt: timestamp(now) };
      await table.commit(renameActions(table, stored, data));
      return ok({ message: 'Department updated', data });
    });
  },
});
