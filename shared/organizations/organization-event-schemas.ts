import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyString } from '../kernel/schemas/fields.ts';

/** The data of the events about an organization, its users and their sessions. */
export const organizationEventSchemas = {
  organization_updated: described(
    z.object({
      organizationId: anyString,
      settings: z.enum([
        'organization',
        'business_hours',
        'missed_call_message',
        'missed_call_policy',
        'session_settings',
        'text_settings',
      ]),
      changed: z.array(anyString),
    }),
    {
      organizationId: 'The organization.',
      settings: 'Which of its settings changed: read them again.',
      changed: 'The names of the fields that changed.',
    },
    { description: 'A setting of the organization changed.' },
  ),
  user_updated: described(
    z.object({
      userId: anyString,
      change: z.enum(['created', 'updated']),
      changed: z.array(anyString),
    }),
    {
      userId: 'The user.',
      change: 'Whether the user is new, or has changed.',
      changed: 'The names of the fields that changed; empty for a new user.',
    },
    { description: 'A user joined the organization, or details of a user changed. All members get it.' },
  ),
  invitation_updated: described(
    z.object({ invitationId: anyString, change: z.enum(['created', 'updated', 'deleted']) }),
    {
      invitationId: 'The invitation.',
      change:
        'What became of it: `updated` if its email was sent or failed, or if somebody accepted it; `deleted` also if another invitation to the same address replaced it.',
    },
    { description: 'An invitation changed. Administrators of the organization get it.' },
  ),
  sessions_ended: described(
    z.object({ sessionId: z.optional(anyString) }),
    { sessionId: 'The session that ended; absent if all others did.' },
    {
      description:
        'A session of this user was ended, or all but the one that this connection belongs to. The connections of sessions that ended are closed.',
    },
  ),
};
