import * as z from 'zod/mini';
import { anyText, yesOrNo } from '../kernel/fields.ts';

const minutesOrHours = z.number();

/** Source: specification, "Session configuration". */
export const SessionConfigAnswer = z
  .object({
    enabled: yesOrNo,
    idleTimeoutMinutes: minutesOrHours,
    tokenExpiryHours: minutesOrHours,
    warningTimeMinutes: minutesOrHours,
    idleTrackingEnabled: yesOrNo,
    ssoSilentRenewalEnabled: yesOrNo,
    ssoFallbackBehavior: anyText,
    passwordSilentRenewalEnabled: yesOrNo,
    passwordFallbackBehavior: anyText,
  })
  .check(z.meta({ id: 'SessionConfig' }));
