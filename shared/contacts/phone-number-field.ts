import * as z from 'zod/mini';
import { readPhoneNumber } from './read-phone-number.ts';

/** A phone number in any usual notation; the text stays as it was written. */
export const WrittenPhoneNumber = z
  .string()
  .check(
    z.refine(
      (written) => readPhoneNumber(written) !== undefined,
      'must be an E.164 phone number, like +15551234567',
    ),
  );

/** The same, in E.164 once it is read and without an extension. */
export const PhoneNumber = WrittenPhoneNumber.check(
  z.overwrite((written) => readPhoneNumber(written)?.value ?? written),
);
