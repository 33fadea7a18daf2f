import * as z from 'zod/mini';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean } from '../../../shared/kernel/schemas/fields.ts';
import { countQueuedOn } from '../../../shared/messages/daily-text-limit.ts';
import {
  effectiveStorageLimits,
  effectiveTextPolicy,
  type TextSettings,
} from '../../../shared/organizations/text-settings.ts';
import type { TrialPolicy } from '../../../shared/organizations/trial-policy.ts';
import type { TableReader } from '../../../shared/table/table.ts';

export const TextSettingsResponse = described(
  z.object({
    dailyLimit: z.int(),
    standardSender: anyBoolean,
    queuedToday: z.int(),
    invitationsPerDay: z.nullable(z.int()),
    approved: anyBoolean,
  }),
  {
    dailyLimit: 'How many text messages the organization may send on one day, in UTC.',
    standardSender:
      'Whether messages of users without an active number are sent from the standard sender of the provider account.',
    queuedToday: 'How many text messages of the organization were accepted for sending today, in UTC.',
    invitationsPerDay:
      'How many people the organization may invite by email within a day; null for any number.',
    approved: 'Whether the organization may store as much as one that the operator of the service knows.',
  },
  {
    id: 'TextSettings',
    description:
      'How many text messages and invitations an organization may send, and whether it is approved.',
  },
);

/** The organization's limits by its settings, and its use of today; the two are read side by side. */
export async function buildTextSettingsResponse(
  stored: Promise<TextSettings>,
  policy: TrialPolicy,
  table: TableReader,
  now: Date,
) {
  const [settings, queuedToday] = await Promise.all([stored, countQueuedOn(table, now)]);
  const invitationsPerDay = settings.invitationsPerDay ?? policy.mail?.invitationsPerDay ?? null;
  const approved = effectiveStorageLimits(settings, policy) === null;
  return { ...effectiveTextPolicy(settings, policy), queuedToday, invitationsPerDay, approved };
}
