import { Failure } from '../../../shared/kernel/failure.ts';
import type { ClockAndIds } from '../../../shared/kernel/operation.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import type { Organization } from '../../../shared/organizations/organization.ts';
import { organizationKey } from '../../../shared/organizations/organization.ts';
import type { Stored, TableReader, TableWriter } from '../../../shared/table/table.ts';
import { changedFields, settingsChanged } from './settings-event.ts';

/** The record of the organization in the path. @throws a 404 `Failure` if it does not exist. */
export async function findOrganization(table: TableReader): Promise<Stored<Organization>> {
  const stored = await table.read(organizationKey());
  if (stored === undefined) {
    throw new Failure('NOT_FOUND', 'No organization has the id in the path.', {
      title: 'Organization not found',
    });
  }
  return stored;
}

/**
 * Changes the organization's record, whatever others change at the same time. Without a difference it writes nothing.
 * @param allowed runs beside the read, and throws if the record must not be changed.
 * @throws a 404 `Failure` when the organization does not exist; whatever `change` throws.
 */
export function changeOrganization(
  table: TableWriter,
  change: (organization: Organization) => Partial<Organization>,
  { allowed, ...clock }: ClockAndIds & { allowed?: () => Promise<void> },
): Promise<Organization> {
  return table.optimistically(async () => {
    const [stored] = await Promise.all([findOrganization(table), allowed?.()]);
    const changes = change(stored.data);
    const { sessionConfig = stored.data.sessionConfig, ...fields } = changes;
    const changed = changedFields(stored.data, fields);
    const configured = changedFields(stored.data.sessionConfig, sessionConfig);
    if (changed.length === 0 && configured.length === 0) {
      return stored.data;
    }
    const organization = { ...stored.data, ...changes, updatedAt: timestamp(clock.now) };
    await table.commit([
      table.replace(stored, organization),
      ...(changed.length === 0 ? [] : [settingsChanged(table, 'organization', changed, clock)]),
      ...(configured.length === 0 ? [] : [settingsChanged(table, 'session_settings', configured, clock)]),
    ]);
    return organization;
  });
}
