import { logAction } from '../../../shared/events/log-entry.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The action that logs what happened to a key, in the transaction of that. */
export function logKeyAction(
  table: TableWriter,
  happened: 'created' | 'rotated' | 'deleted',
  apiKeyId: string,
  { now, newId }: { readonly now: Date; newId(): string },
): Action {
  const entity = { type: 'api_key', id: apiKeyId } as const;
  return logAction(table, { event: `api_key_${happened}`, entity }, newId(), now);
}
