import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { anyString } from '../../../../../shared/kernel/schemas/fields.ts';
import { nodeType } from './node-type.ts';

export default nodeType({
  type: 'httpRequest',
  title: 'HTTP request',
  description: 'Not available yet: skipped with the reason `not_available`.',
  schema: described(
    z.object({
      method: z.optional(z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])),
      url: anyString,
      headers: z.optional(z.record(anyString, anyString)),
      body: z.optional(z.unknown()),
      saveAs: z.optional(anyString),
    }),
    {
      method: 'How it is requested.',
      url: 'The address.',
      headers: 'Its headers.',
      body: 'Its body.',
      saveAs: 'The name of its response for later steps.',
    },
  ),
  unavailable: 'HTTP requests are not available yet. The step is skipped.',
  decide: () => ({ outcome: { status: 'skipped', reason: 'not_available' } }),
});
