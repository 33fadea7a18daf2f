import * as z from 'zod/mini';
import { orEmpty } from '../kernel/schemas/fields.ts';
import { phoneNumberIn, withoutSeparators } from './phone-numbers.ts';

/** A phone number in a usual spelling, normalized to E.164: separators are removed, a leading `00` becomes `+`. */
export const PhoneNumber = orEmpty(
  z.string().check(
    z.overwrite(withoutSeparators),
    z.refine(
      (number) => phoneNumberIn(number) === number,
      'must be an E.164 phone number, like +15551234567',
    ),
  ),
);
