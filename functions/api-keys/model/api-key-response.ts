import * as z from 'zod/mini';
import { keyAccesses } from '../../../shared/kernel/caller.ts';
import { described } from '../../../shared/kernel/schemas/descriptions.ts';
import { anyString, calendarDay, dateTime } from '../../../shared/kernel/schemas/fields.ts';
import { secretShown, secretShownMeaning, shownOnce } from '../../../shared/kernel/schemas/shown-once.ts';
import type { ApiKey } from '../../../shared/organizations/api-key.ts';
import type { Stored } from '../../../shared/table/table.ts';

export const ApiKeyResponse = described(
  z.object({
    _id: anyString,
    name: anyString,
    prefix: anyString,
    userId: anyString,
    access: z.enum(keyAccesses),
    groups: z.nullable(z.array(anyString)),
    expiresAt: z.nullable(dateTime),
    lastUsedAt: z.nullable(calendarDay),
    createdAt: dateTime,
  }),
  {
    _id: 'The id of the key, which it keeps when it is rotated.',
    name: 'Its name.',
    prefix: 'The first 12 characters of its newest secret.',
    userId: 'The user that it acts as.',
    access: '`read` or `write`.',
    groups: 'The groups of operations that it may use; null for all.',
    expiresAt: 'When it expires; null for never.',
    lastUsedAt: 'The day of its last use, in UTC; null before the first.',
    createdAt: 'When it was created.',
  },
  { id: 'ApiKey', description: 'An API key, without its secret.' },
);

/** The key, with the record of its last use. */
export function toApiKeyResponse(
  { _id, name, prefix, userId, access, groups, expiresAt, createdAt }: ApiKey,
  use: Pick<Stored<never, 'identity'>, 'attributes'> | null | undefined,
): z.input<typeof ApiKeyResponse> {
  const { usedOn } = use?.attributes ?? {};
  const lastUsedAt = typeof usedOn === 'string' ? usedOn : null;
  return { _id, name, prefix, userId, access, groups, expiresAt, lastUsedAt, createdAt };
}

/** `{success: true, message, data, key}` */
export const issuedResponse = () =>
  described(
    z.object({
      success: z.literal(true),
      message: anyString,
      data: ApiKeyResponse,
      key: shownOnce(anyString),
      secretShown: secretShown(),
    }),
    {
      success: 'Always true.',
      message: 'What was done, in a sentence.',
      data: 'The key as it is now, without its secret.',
      key: 'The secret to send as a bearer token. It is shown here only.',
      secretShown: secretShownMeaning,
    },
  );
