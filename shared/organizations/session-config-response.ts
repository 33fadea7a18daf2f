import * as z from 'zod/mini';
import { described } from '../kernel/schemas/descriptions.ts';
import { anyBoolean, anyString } from '../kernel/schemas/fields.ts';

const minutesOrHours = z.number();

export const sessionConfigDescriptions = {
  enabled: 'Whether clients apply the policy at all.',
  idleTimeoutMinutes: 'Minutes without activity after which a client ends the session.',
  tokenExpiryHours: 'Hours that an access token is valid; fractions are allowed.',
  warningTimeMinutes:
    'Minutes before the idle timeout at which a client warns; less than `idleTimeoutMinutes`.',
  idleTrackingEnabled: 'Whether clients watch for activity.',
  ssoSilentRenewalEnabled: 'Whether a session started by single sign-on is renewed without asking.',
  ssoFallbackBehavior:
    'What a client does when that fails: a hint of 1 to 64 characters, like `redirect` or `logout`.',
  passwordSilentRenewalEnabled: 'Whether a session started with a password is renewed without asking.',
  passwordFallbackBehavior:
    'What a client does when that fails: a hint of 1 to 64 characters, like `redirect` or `logout`.',
};

/** Source: specification, "Session configuration". */
export const SessionConfigResponse = described(
  z.object({
    enabled: anyBoolean,
    idleTimeoutMinutes: minutesOrHours,
    tokenExpiryHours: minutesOrHours,
    warningTimeMinutes: minutesOrHours,
    idleTrackingEnabled: anyBoolean,
    ssoSilentRenewalEnabled: anyBoolean,
    ssoFallbackBehavior: anyString,
    passwordSilentRenewalEnabled: anyBoolean,
    passwordFallbackBehavior: anyString,
  }),
  sessionConfigDescriptions,
  { id: 'SessionConfig', description: 'How long sessions last and how they are renewed.' },
);
