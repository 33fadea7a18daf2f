import * as z from 'zod/mini';
import { definedOnly } from '../../../shared/kernel/defined-only.ts';
import { Failure } from '../../../shared/kernel/failure.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, atMost } from '../../../shared/kernel/schemas/fields.ts';
import { factorRequirements, type SessionConfig } from '../../../shared/organizations/organization.ts';
import {
  SessionConfigResponse,
  sessionConfigDescriptions,
} from '../../../shared/organizations/session-config-response.ts';

/** Tells a client what to do when a session cannot be renewed: a hint in words of the client. Source: decisions 3, "`sessionConfig` defaults". */
const Fallback = anyString.check(
  atMost(64),
  z.refine((hint) => hint !== '', 'must not be empty'),
  z.meta({ minLength: 1, maxLength: 64 }),
);

/**
 * The session settings in a request; an absent key keeps its value. The shortest token lifetime is a few seconds: long enough to
 * correct the mistake.
 */
export const SessionSettings = z.partial(
  z.object({
    enabled: anyBoolean,
    idleTimeoutMinutes: z.number().check(z.minimum(1), z.maximum(1_440)),
    tokenExpiryHours: z.number().check(z.minimum(0.001), z.maximum(24)),
    warningTimeMinutes: z.number().check(z.minimum(0), z.maximum(1_440)),
    idleTrackingEnabled: anyBoolean,
    ssoSilentRenewalEnabled: anyBoolean,
    ssoFallbackBehavior: Fallback,
    passwordSilentRenewalEnabled: anyBoolean,
    passwordFallbackBehavior: Fallback,
    factorRequiredFor: z.enum(factorRequirements),
  }),
);
export type SessionSettings = z.output<typeof SessionSettings>;

export const sessionSettingsDescriptions = {
  ...sessionConfigDescriptions,
  factorRequiredFor:
    'Who needs a second factor to log in: `nobody`, `admins` (the roles ADMIN and SUPERADMIN) or `everybody`.',
};

export const SessionSettingsResponse = described(
  z.extend(SessionConfigResponse, { factorRequiredFor: z._default(z.enum(factorRequirements), 'nobody') }),
  sessionSettingsDescriptions,
  { id: 'SessionSettings', description: 'The session settings of an organization.' },
);

/** The configuration with these settings. @throws a 400 `Failure` for a warning that would come too late. */
export function configured(before: SessionConfig, settings: SessionSettings): SessionConfig {
  const after = { ...before, ...definedOnly(settings) };
  if (after.warningTimeMinutes >= after.idleTimeoutMinutes) {
    throw new Failure('INVALID', 'warningTimeMinutes must be less than idleTimeoutMinutes');
  }
  return after;
}
