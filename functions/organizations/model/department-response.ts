import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';

export const DepartmentResponse = described(
  z.object({
    _id: anyString,
    organizationId: anyString,
    name: anyString,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the department.',
    organizationId: 'The organization it belongs to.',
    name: 'Its name.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Department', description: 'A group of users, whose head sees their records.' },
);
