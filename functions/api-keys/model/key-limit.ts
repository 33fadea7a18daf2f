import { Failure } from '../../../shared/kernel/failure.ts';
import { apiKeyCountKey } from '../../../shared/organizations/api-key.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The keys that an organization may have. */
const most = 100;

/** The action that counts a key more or less in the transaction of that. @throws a 409 `Failure`, when committed, beyond the limit. */
export function countKeyAction(table: TableWriter, by: 1 | -1): Action {
  return table.updateAction(apiKeyCountKey(), {
    update: 'ADD used :by',
    when: 'attribute_not_exists(used) OR used <= :room',
    values: { by, room: most - by },
    otherwise: () =>
      new Failure('CONFLICT', `The organization has ${most} API keys. Delete one that nobody needs.`),
  });
}
