import * as z from 'zod/mini';
import { readPhoneNumber } from '../contacts/read-phone-number.ts';
import { isWithheld } from '../contacts/withheld.ts';

/** The number of somebody who called, in E.164 once it is read, or the word for a caller who withheld it, as it was written. */
export const CallerNumber = z.string().check(
  z.refine(
    (written) => isWithheld(written) || readPhoneNumber(written) !== undefined,
    'must be an E.164 phone number, like +15551234567, or anonymous, restricted, unavailable or unknown',
  ),
  z.overwrite((written) => readPhoneNumber(written)?.value ?? written),
);
