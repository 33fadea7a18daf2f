import * as z from 'zod/mini';
import { eventGroups } from '../../../shared/events/event-groups.ts';
import type { EventName } from '../../../shared/events/outbox.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import type { OutgoingPosts } from '../../../shared/kernel/providers/outgoing-posts.ts';
import { anyBoolean, labelSchema, nonEmptyString } from '../../../shared/kernel/schemas/fields.ts';

const names = ['*', ...(Object.keys(eventGroups) as EventName[])] as const;

export const EndpointFields = {
  url: nonEmptyString(2_000),
  events: z.array(z.enum(names)).check(z.minLength(1), z.maxLength(100)),
  description: z.optional(z.nullable(labelSchema(500))),
  isActive: z.optional(anyBoolean),
};

export const endpointFieldNames = ['url', 'events', 'description', 'isActive'] as const;

export const endpointDescriptions = {
  url: 'Where events are posted: `https`, on port 443 or one above 1023, at a public address, without a user name or a password.',
  events: 'The names of the events that it gets, as live events have them; `*` for all.',
  description: 'What it is for.',
  isActive: 'Whether events are posted. True unless stated.',
};

/**
 * What to tell about a URL that may be posted to: that its name does not resolve now, if it does not.
 * @throws a 400 `Failure` for any other URL.
 */
export async function requireUrl(posts: OutgoingPosts, url: string): Promise<string> {
  const refused = await posts.check(url);
  if (refused?.reason === 'refused_address') {
    throw new Failure('INVALID', `url: ${refused.message}.`);
  }
  return refused === undefined ? '' : `. ${refused.message}; events are posted once it does.`;
}
