import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { Name } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { newDepartmentActions } from '../../shared/organizations/departments.ts';
import { DepartmentResponse } from './model/department-response.ts';

export default operation({
  route: 'POST /api/departments',
  tag: 'Departments',
  summary: 'Create a department',
  description:
    'The members of a department are the users whose `departmentIds` name it; a DEPARTMENT_HEAD sees the records of all members of their departments. Names are unique within the organization, ignoring case; a name that is taken is refused with 409.',
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 201,
  body: z.object({ name: Name }),
  descriptions: { name: 'The name of the department.' },
  output: changeResponse(DepartmentResponse),
  failures: ['CONFLICT'],
  example: { body: { name: 'Partnerships' } },
  uses: { table: 'write' },
  async run({ body }, { table, now, newId }) {
    const at = timestamp(now);
    const department = {
      _id: newId(),
      organizationId: table.organizationId,
      name: body.name,
      createdAt: at,
      updatedAt: at,
    };
    await table.commit(newDepartmentActions(table, department));
    return ok({ message: 'Department created', data: department });
  },
});
