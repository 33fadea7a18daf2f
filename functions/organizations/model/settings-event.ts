import { isDeepStrictEqual } from 'node:util';
import { eventAction } from '../../../shared/events/outbox.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import type { EventData } from '../../../shared/notifications/event-schemas.ts';
import type { Action, TableWriter } from '../../../shared/table/table.ts';

/** The settings of an organization, as events name them. */
export type SettingsName = EventData['organization_updated']['settings'];

/** The names of the fields that have another value. */
export function changedFields<Values extends object>(before: Values, after: Partial<Values>): string[] {
  return Object.entries(after)
    .filter(([name, value]) => !isDeepStrictEqual(value, before[name as keyof Values]))
    .map(([name]) => name);
}

/** The action that tells all members of a change, for the transaction of the change. */
export function settingsChanged(
  table: TableWriter,
  settings: SettingsName,
  changed: string[],
  { now, newId }: ClockAndIds,
): Action {
  const { organizationId } = table;
  return eventAction(
    table,
    {
      event: 'organization_updated',
      data: { organizationId, settings, changed },
      audience: { kind: 'organization' },
    },
    newId(),
    now,
  );
}
