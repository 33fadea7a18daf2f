import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';

export const ListingResponse = described(
  z.object({
    _id: anyString,
    organizationId: anyString,
    userId: anyString,
    name: anyString,
    description: anyString,
    content: z.record(anyString, z.unknown()),
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the listing.',
    organizationId: 'The organization that offers it.',
    userId: 'The user who created it.',
    name: 'What is offered.',
    description: 'Further details; may be empty.',
    content: 'Any JSON object.',
    createdAt: 'When it was created.',
    updatedAt: 'When it last changed.',
  },
  { id: 'Listing', description: 'Something that an organization offers in the marketplace.' },
);
