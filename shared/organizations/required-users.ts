import { Failure } from '../kernel/failure.ts';
import type { Action, TableWriter } from '../table/table.ts';
import { userKey } from './user.ts';

/**
 * Actions that require users to be in the organization when the transaction commits; otherwise a 404 that names the field.
 * @param asked the field that names each user.
 * @param known users who need no check: they were there before, or one is the caller.
 */
export function requiredUserActions(
  table: TableWriter,
  asked: ReadonlyMap<string, string>,
  known: ReadonlySet<string | null | undefined> = new Set(),
): Action[] {
  return [...asked]
    .filter(([userId]) => !known.has(userId))
    .map(([userId, field]) =>
      table.require(userKey(userId), {
        when: 'attribute_exists(pk)',
        otherwise: () => new Failure('NOT_FOUND', `${field} is not the id of a user of this organization`),
      }),
    );
}
