import type { Key } from '../table/key.ts';
import type { StorageLimits, TrialPolicy } from './trial-policy.ts';

/** A SUPERADMIN's settings for an organization; null where the policy of the deployment counts, and for a standard sender that is not enabled. */
export interface TextSettings {
  dailyLimit: number | null;
  standardSender: boolean | null;
  /** Invitations by email; absent like null. */
  invitationsPerDay?: number | null;
  /** Whether it may store as much as others; absent like null. */
  approved?: boolean | null;
}

export const textSettingsKey = (): Key<TextSettings> => ({ partition: [], sort: ['TEXT_SETTINGS'] });

/** The key, and the values until somebody sets them. */
export const textSettings = {
  key: textSettingsKey(),
  initial: { dailyLimit: null, standardSender: null } as TextSettings,
} as const;

/** How many texts an organization may send a day, and whether it may use the standard sender. */
export interface TextPolicy extends Pick<TrialPolicy, 'dailyLimit'> {
  readonly standardSender: boolean;
}

/**
 * A SUPERADMIN's settings for the organization; the trial policy decides the rest. No policy allows the standard sender: every
 * organization of the provider account would write with one number, and its opt-outs would be those of all.
 */
export function effectiveTextPolicy(settings: TextSettings | undefined, policy: TrialPolicy): TextPolicy {
  const { dailyLimit, standardSender } = settings ?? textSettings.initial;
  return {
    dailyLimit: dailyLimit ?? policy.dailyLimit,
    standardSender: standardSender ?? false,
  };
}

/** How much the organization may store; null for as much as an approved one. */
export function effectiveStorageLimits(
  settings: TextSettings | undefined,
  policy: TrialPolicy,
): StorageLimits | null {
  return settings?.approved ? null : policy.storage;
}
