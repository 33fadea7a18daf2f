import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { ok } from '../../shared/kernel/schemas/envelope.ts';
import { listResponse, pageDescriptions, pageQuery } from '../../shared/kernel/schemas/paging.ts';
import { departmentRange } from '../../shared/organizations/organization.ts';
import { DepartmentResponse } from './model/department-response.ts';

export default operation({
  route: 'GET /api/departments',
  tag: 'Departments',
  summary: 'List the departments of the organization',
  description: 'Oldest first.',
  family: 'plain',
  minimumRole: 'SALES_REP',
  query: z.object(pageQuery),
  descriptions: pageDescriptions,
  output: listResponse(DepartmentResponse),
  uses: { table: 'read' },
  async run({ query }, { table }) {
    const { records, nextCursor } = await table.page(departmentRange(), { ...query, consistent: true });
    return ok({ data: records.map(({ data }) => data), nextCursor });
  },
});
