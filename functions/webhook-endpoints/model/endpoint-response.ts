import * as z from 'zod/mini';
import type { WebhookEndpoint } from '../../../shared/events/webhook-endpoint.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import { secretShown, secretShownMeaning, shownOnce } from '../../../shared/kernel/schemas/shown-once.ts';

export const EndpointResponse = described(
  z.object({
    _id: anyString,
    url: anyString,
    events: z.array(anyString),
    description: z.nullable(anyString),
    isActive: anyBoolean,
    disabledReason: z.nullable(z.enum(['gone', 'failing'])),
    createdBy: anyString,
    createdAt: dateTime,
    updatedAt: dateTime,
  }),
  {
    _id: 'The id of the endpoint.',
    url: 'Where events are posted.',
    events: 'The names of the events that it gets; `*` for all.',
    description: 'What it is for; null if nobody said.',
    isActive: 'Whether events are posted.',
    disabledReason:
      'Why the service has switched it off: its address answered 410 (`gone`), or failed for five days (`failing`); null if it has not.',
    createdBy: 'The user who created it.',
    createdAt: 'When it was created.',
    updatedAt: 'When it was last changed.',
  },
  { id: 'WebhookEndpoint', description: 'An address to which events are posted, without its secret.' },
);

export function toEndpointResponse({
  activation: _,
  lane: __,
  secrets: ___,
  ...shown
}: WebhookEndpoint): z.input<typeof EndpointResponse> {
  return { ...shown, events: [...shown.events] };
}

/** `{success: true, message, data, secret}` */
export const endpointWithSecretResponse = () =>
  described(
    z.object({
      success: z.literal(true),
      message: anyString,
      data: EndpointResponse,
      secret: shownOnce(anyString),
      secretShown: secretShown(),
    }),
    {
      success: 'Always true.',
      message: 'What was done, in a sentence.',
      data: 'The endpoint as it is now.',
      secret: 'The secret that signs what is posted, `whsec_…`. It is shown here only.',
      secretShown: secretShownMeaning,
    },
  );
