import * as z from 'zod/mini';
import { orEmpty } from '../kernel/schemas/fields.ts';
import { readPhoneNumber } from './read-phone-number.ts';

const isReadable = z.refine<string>(
  (written) => readPhoneNumber(written) !== undefined,
  'must be an E.164 phone number, like +15551234567',
);

/** A phone number in any usual notation; the text stays as it was written. */
export const WrittenPhoneNumber = orEmpty(z.string().check(isReadable));

/** The same, in E.164 once it is read and without an extension. */
export const PhoneNumber = orEmpty(
  z.string().check(
    isReadable,
    z.overwrite((written) => readPhoneNumber(written)?.value ?? written),
  ),
);
