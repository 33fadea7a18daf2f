import { Failure } from '../../../../shared/kernel/failure.ts';
import { type Action, transactionLimit } from '../../../../shared/table/table.ts';

/** The record of an `Idempotency-Key` has room, too. */
const mostActions = transactionLimit - 1;

/** The same actions. @throws a 400 `Failure` for more than fit into one transaction, which both contacts need. */
export function requireRoom(actions: readonly Action[]): readonly Action[] {
  if (actions.length > mostActions) {
    throw new Failure(
      'INVALID',
      'The two contacts have too many people, conversations and applications together. Take assignees from one of them first.',
    );
  }
  return actions;
}
