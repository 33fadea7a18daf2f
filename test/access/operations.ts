import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ofKind, operations } from '../../infra/registry.ts';
import type { Family } from '../../shared/kernel/failure.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { OperationRow, World } from '../harness/world.ts';

export interface Rowed {
  readonly name: string;
  readonly operation: Operation;
  readonly row: OperationRow;
}

const rowFolder = join(import.meta.dirname, '../operations');

/** Every HTTP operation of the product with its row. @throws for an operation without a row, and for a row without an operation. */
export async function operationsWithRows(): Promise<Rowed[]> {
  const registered = ofKind(await operations(), 'http');
  const named = new Set((await readdir(rowFolder)).map((file) => file.replace(/\.ts$/, '')));
  const orphans = [...named].filter((name) => !registered.some((entry) => entry.name === name));
  const missing = registered.filter(({ name }) => !named.has(name)).map(({ name }) => name);
  if (orphans.length > 0 || missing.length > 0) {
    throw new Error(
      `Operations without a row: ${missing.join(', ')}. Rows without an operation: ${orphans.join(', ')}.`,
    );
  }
  return Promise.all(
    registered.map(async ({ name, operation }) => {
      const { default: row } = (await import(join(rowFolder, `${name}.ts`))) as { default: OperationRow };
      return { name, operation, row };
    }),
  );
}

/** Who may send the request of a row: the SUPERADMIN in the organization of the world, or `rep` where the row refuses a SUPERADMIN. */
export function senderOf(
  { superadmin, admin, rep }: World,
  { refused }: OperationRow,
): { token: string; headers?: Record<string, string> } {
  return refused?.superadmin === undefined
    ? { token: superadmin.token, headers: { 'x-organization-id': admin.organizationId } }
    : { token: rep.token };
}

/** The keys of an error body, a shape a family. Source: specification, "Errors". */
export const familyKeys: Record<Family, readonly string[]> = {
  auth: ['error', 'code'],
  plain: ['success', 'message'],
  notes: ['success', 'message', 'error'],
  calls: ['success', 'error'],
  organizations: ['error', 'details'],
  contacts: ['error', 'message'],
};
