import { nameLimit, nonEmptyString } from '../../../../shared/kernel/schemas/fields.ts';
import { hasPlaceholder } from '../../../../shared/messages/fill-placeholders.ts';
import { noneIfEmptyIn } from './none-if-empty.ts';
import type { Reference } from './reference.ts';

/** The id of a user, or a placeholder that is filled with one. */
export const UserOrPlaceholder = noneIfEmptyIn(nonEmptyString(nameLimit));

/** The users that a node names itself, and not by a placeholder. */
export function userReferences(
  users: readonly (readonly [path: string, id: string | undefined])[],
): Reference[] {
  return users.flatMap(([path, id]) =>
    !id || hasPlaceholder(id) ? [] : [{ kind: 'user', id, path } as const],
  );
}
