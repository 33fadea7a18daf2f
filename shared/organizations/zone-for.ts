import type { TableReader } from '../table/table.ts';
import { businessHours } from './business-hours.ts';
import { isLocal } from './written-times.ts';

/**
 * The time zone in which these texts are read: that of the organization, which is only looked up if one of them is a date or a time
 * without an offset. Source: decisions 6, "Ranges".
 */
export async function readZoneFor(
  table: TableReader,
  ...texts: readonly (string | null | undefined)[]
): Promise<string> {
  return texts.some((text) => text && isLocal(text)) ? readOrganizationZone(table) : 'UTC';
}

/** The time zone of the organization. */
export async function readOrganizationZone(table: TableReader): Promise<string> {
  const stored = await table.read(businessHours.key);
  return (stored?.data ?? businessHours.initial).timezone;
}
