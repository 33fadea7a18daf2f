import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean } from '../../../shared/kernel/schemas/fields.ts';
import { everyKind, type Kind } from '../../../shared/notifications/preferences.ts';

export const preferenceDescriptions: Record<Kind, string> = {
  mentions: 'Being mentioned in a note; a `mention` is stored even if this is false.',
  reminders: 'A reminder that is due: `reminder`.',
  messages: 'New messages: `message`.',
  assignments: 'Getting a contact, a conversation or a lead: `assignment` and `lead`.',
  calls: 'Missed calls: `missed_call`.',
  campaigns: 'Campaigns; kept for clients, no notification depends on it yet.',
  automationTriggers: 'Automations: `automation` and `workflow_failed`.',
  escalations: 'Escalations; kept for clients, no notification depends on it yet.',
  emailSync: 'The synchronization of email; kept for clients, no notification depends on it yet.',
  aiResponses: 'Replies written by AI; kept for clients, no notification depends on it yet.',
  other: 'Everything else: `import_finished`; no notification depends on it yet.',
};

export const NotificationPreferencesResponse = described(
  z.catchall(z.object(everyKind(() => anyBoolean)), anyBoolean),
  preferenceDescriptions,
  {
    id: 'NotificationPreferences',
    description:
      'What a user wants to be notified of; everything by default. Other keys are those that the user has set.',
  },
);

const choice = z.optional(z.nullable(anyBoolean));

/** Booleans for the kinds, and for other keys, which clients may have for themselves. */
export const NotificationPreferenceFields = z.catchall(z.object(everyKind(() => choice)), choice);
export type NotificationPreferenceFields = z.output<typeof NotificationPreferenceFields>;
