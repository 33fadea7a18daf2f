import * as z from 'zod/mini';
import { anyText } from '../kernel/fields.ts';

export const ListingAnswer = z
  .object({
    _id: anyText,
    organizationId: anyText,
    userId: anyText,
    name: anyText,
    description: anyText,
    content: z.record(anyText, z.unknown()),
    createdAt: anyText,
    updatedAt: anyText,
  })
  .check(z.meta({ id: 'Listing' }));
