import * as z from 'zod/mini';
import { isPhoneNumber, normalizedPhoneNumber } from './phone-numbers.ts';

/** A phone number in any usual spelling, stored and answered in E.164. */
export const PhoneNumber = z
  .string()
  .check(
    z.overwrite(normalizedPhoneNumber),
    z.refine(isPhoneNumber, 'must be an E.164 phone number, like +15551234567'),
  );
