import * as z from 'zod/mini';
import { anyText } from '../kernel/fields.ts';
import { registrationModes } from './organization.ts';

/** An organization as answered; its settings have operations of their own. */
export const OrganizationAnswer = z
  .object({
    _id: anyText,
    name: anyText,
    registrationMode: z.enum(registrationModes),
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'Organization' }));
