import * as z from 'zod/mini';
import { Failure, notFound } from '../../../../shared/kernel/failure.ts';
import { described } from '../../../../shared/kernel/schemas/descriptions.ts';
import { anyBoolean, anyString, atMost, dateTime } from '../../../../shared/kernel/schemas/fields.ts';
import { type Factor, factorTypes } from './factor.ts';

export const FactorResponse = described(
  z.object({
    _id: anyString,
    type: z.enum(factorTypes),
    confirmed: anyBoolean,
    createdAt: dateTime,
    confirmedAt: z.optional(dateTime),
    recoveryCodesLeft: z.number(),
  }),
  {
    _id: 'The id of the factor.',
    type: '`totp`: an app that makes a code of six digits every 30 seconds.',
    confirmed: 'Whether a first code has confirmed it: only then does a login ask for it.',
    createdAt: 'When it was set up.',
    confirmedAt: 'When it was confirmed.',
    recoveryCodesLeft: 'How many of its recovery codes have not been used.',
  },
  { id: 'Factor', description: 'The second factor of a user.' },
);

export function toFactorResponse({
  _id,
  type,
  createdAt,
  confirmedAt,
  recoveryCodes,
}: Factor): z.input<typeof FactorResponse> {
  return {
    _id,
    type,
    confirmed: confirmedAt !== undefined,
    createdAt,
    ...(confirmedAt !== undefined && { confirmedAt }),
    recoveryCodesLeft: recoveryCodes.length,
  };
}

/** Characters of a code with blanks and hyphens that people may type. */
const codeLimit = 200;

/** A code as it is sent. Only its maximum length is checked: any other text is simply wrong. */
export const SentCode = z.string().check(atMost(codeLimit), z.meta({ maxLength: codeLimit }));

/** For a code that sets up or takes away a factor. */
export const wrongCode = () =>
  new Failure(
    'WRONG_CODE',
    'The code is wrong or was used before. Send the code that your app shows now, and check the clock of your device.',
  );

export const factorNotFound = () => notFound('Factor');
