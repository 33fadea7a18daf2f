import * as z from 'zod/mini';
import { described } from '../kernel/descriptions.ts';
import { anyText, yesOrNo } from '../kernel/fields.ts';
import { sessionConfigDescriptions } from './session-config-descriptions.ts';

const minutesOrHours = z.number();

/** Source: specification, "Session configuration". */
export const SessionConfigResponse = described(
  z.object({
    enabled: yesOrNo,
    idleTimeoutMinutes: minutesOrHours,
    tokenExpiryHours: minutesOrHours,
    warningTimeMinutes: minutesOrHours,
    idleTrackingEnabled: yesOrNo,
    ssoSilentRenewalEnabled: yesOrNo,
    ssoFallbackBehavior: anyText,
    passwordSilentRenewalEnabled: yesOrNo,
    passwordFallbackBehavior: anyText,
  }),
  sessionConfigDescriptions,
  { id: 'SessionConfig', description: 'How long sessions last and how they are renewed.' },
);
