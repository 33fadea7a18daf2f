import * as z from 'zod/mini';
import { phoneNumberIn, withoutSeparators } from '../contacts/phone-numbers.ts';
import { isWithheld } from './withheld.ts';

/** The number of somebody who called, normalized to E.164, or the word for a caller who withheld it, as it was written. */
export const CallerNumber = z.string().check(
  z.overwrite((written) => (isWithheld(written) ? written : withoutSeparators(written))),
  z.refine(
    (written) => isWithheld(written) || phoneNumberIn(written) === written,
    'must be an E.164 phone number, like +15551234567, or anonymous, restricted, unavailable or unknown',
  ),
);
