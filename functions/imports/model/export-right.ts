import { type Role, reaches } from '../../../shared/kernel/caller.ts';
import { organizationKey } from '../../../shared/organizations/organization.ts';
import type { TableReader } from '../../../shared/table/table.ts';

/** Whether somebody with this role may export contacts now. Source: contacts at work, 3. */
export async function readExportRight(table: TableReader, role: Role): Promise<boolean> {
  if (reaches(role, 'DEPARTMENT_HEAD')) {
    return true;
  }
  return (await table.read(organizationKey()))?.data.repsMayExport === true;
}
