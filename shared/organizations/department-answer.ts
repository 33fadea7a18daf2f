import * as z from 'zod/mini';
import { anyText } from '../kernel/fields.ts';

export const DepartmentAnswer = z
  .object({ _id: anyText, organizationId: anyText, name: anyText, createdAt: anyText, updatedAt: anyText })
  .check(z.meta({ id: 'Department' }));
