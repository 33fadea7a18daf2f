import * as z from 'zod/mini';
import { operation } from '../../shared/kernel/operation.ts';
import { changeResponse, ok } from '../../shared/kernel/schemas/envelope.ts';
import { anyString, Name, trimmedString } from '../../shared/kernel/schemas/fields.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import { listingKey } from './model/listing.ts';
import { ListingResponse } from './model/listing-response.ts';

/** Bytes of a listing's content as JSON. */
const contentLimit = 64 * 1024;

export default operation({
  route: 'POST /api/marketplace',
  summary: 'Create a marketplace listing',
  family: 'plain',
  minimumRole: 'ADMIN',
  status: 201,
  body: z.object({
    name: Name,
    description: z._default(trimmedString(5_000), ''),
    content: z._default(
      z
        .record(anyString, z.unknown())
        .check(
          z.refine(
            (content) => Buffer.byteLength(JSON.stringify(content)) <= contentLimit,
            'must be at most 64 KB',
          ),
        ),
      {},
    ),
  }),
  descriptions: {
    name: 'What is offered.',
    description: 'Further details.',
    content: 'Any JSON object of at most 64 KB.',
  },
  output: changeResponse(ListingResponse),
  example: {
    body: {
      name: 'Onboarding package',
      description: 'Three calls and a plan',
      content: { price: 490, currency: 'EUR' },
    },
  },
  uses: { table: 'write' },
  async run({ body }, { table, caller, now, newId }) {
    const at = timestamp(now);
    const listing = {
      _id: newId(),
      organizationId: table.organizationId,
      userId: caller.userId,
      ...body,
      createdAt: at,
      updatedAt: at,
    };
    await table.commit([table.add(listingKey(listing._id), listing)]);
    return ok({ message: 'Listing created', data: listing });
  },
});
