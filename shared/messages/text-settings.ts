import type { NewcomerPolicy } from '../organizations/newcomer-policy.ts';
import type { Key } from '../table/key.ts';

/** What a SUPERADMIN has set for an organization; null where the policy of the deployment counts. */
export interface TextSettings {
  dailyLimit: number | null;
  standardSender: boolean | null;
  /** Invitations by email; absent like null. */
  invitationsPerDay?: number | null;
}

export const textSettingsKey = (): Key<TextSettings> => ({ partition: [], sort: ['TEXT_SETTINGS'] });

/** The key, and the values until somebody sets them. */
export const textSettings = {
  key: textSettingsKey(),
  initial: { dailyLimit: null, standardSender: null } as TextSettings,
} as const;

/** What the organization may do. */
export type TextAllowance = Pick<NewcomerPolicy, 'dailyLimit' | 'standardSender'>;

/** The settings of the organization; where it has none, what the policy for newcomers allows. */
export function allowanceOf(
  { dailyLimit, standardSender }: TextSettings,
  policy: NewcomerPolicy,
): TextAllowance {
  return {
    dailyLimit: dailyLimit ?? policy.dailyLimit,
    standardSender: standardSender ?? policy.standardSender,
  };
}
