import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOperations, ofKind } from '../../infra/registry.ts';
import type { Family } from '../../shared/kernel/failure.ts';
import type { Operation } from '../../shared/kernel/operation.ts';
import type { AccessCase, Tenants } from '../harness/tenants.ts';

export interface OperationCase {
  readonly name: string;
  readonly operation: Operation;
  readonly accessCase: AccessCase;
}

const caseFolder = join(import.meta.dirname, '../operations');

/** The case of an operation that has no file, because it takes nothing but the organization in its path; undefined for others. */
function caseOfNothing({ route, body, minimumRole }: Operation): AccessCase | undefined {
  if (body !== undefined || /\{(?!organizationId\})/.test(route)) {
    return undefined;
  }
  return route.includes('{organizationId}')
    ? {
        subject: 'named-organization',
        request: ({ admin }) => ({ path: { organizationId: admin.organizationId } }),
      }
    : { subject: minimumRole === 'anyone' ? 'self' : 'organization', request: () => ({}) };
}

/** Every HTTP operation of the product with its case. @throws for an operation without a case, and for a case without an operation. */
export async function operationsWithCases(): Promise<OperationCase[]> {
  const registered = ofKind(await loadOperations(), 'http');
  const named = new Set((await readdir(caseFolder)).map((file) => file.replace(/\.ts$/, '')));
  const orphans = [...named].filter((name) => !registered.some((entry) => entry.name === name));
  const found = await Promise.all(
    registered.map(async ({ name, operation }): Promise<OperationCase | string> => {
      const accessCase = named.has(name)
        ? ((await import(join(caseFolder, `${name}.ts`))) as { default: AccessCase }).default
        : caseOfNothing(operation);
      return accessCase === undefined ? name : { name, operation, accessCase };
    }),
  );
  const missing = found.filter((entry) => typeof entry === 'string');
  if (orphans.length > 0 || missing.length > 0) {
    throw new Error(
      `Operations without a case: ${missing.join(', ')}. Cases without an operation: ${orphans.join(', ')}.`,
    );
  }
  return found.filter((entry) => typeof entry !== 'string');
}

/** Who may send the request of a case: the SUPERADMIN in the organization of `admin`, or `rep` where the case refuses a SUPERADMIN. */
export function caseSender(
  { superadmin, admin, rep }: Tenants,
  { refused }: AccessCase,
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
