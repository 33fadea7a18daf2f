import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { timestamp } from '../../shared/kernel/time.ts';
import type { Organization } from '../../shared/organizations/organization.ts';
import { departmentKey, organizationKey } from '../../shared/organizations/organization.ts';
import type { User } from '../../shared/organizations/user.ts';
import { userKey } from '../../shared/organizations/user.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { scopeOf } from '../harness/objects.ts';
import type { Person, Product } from '../harness/product.ts';

/** What a port is told of an invocation that no request started. */
export const scope = () => scopeOf(undefined);

export function identityOf(product: Product): TableWriter<'identity'> {
  return product.providers.identity?.(scope()) as TableWriter<'identity'>;
}

function tableOf(product: Product, organizationId: string): TableWriter {
  const organizations = product.providers.organizations?.(scope()) as (id: string) => TableWriter;
  return organizations(organizationId);
}

export async function changeUser(product: Product, person: Person, changes: Partial<User>): Promise<void> {
  const table = tableOf(product, person.organizationId);
  const stored = await table.read(userKey(person.userId));
  if (stored === undefined) {
    throw new Error('There is no such user');
  }
  await table.commit([table.replace(stored, { ...stored.data, ...changes })]);
}

export async function userOf(product: Product, person: Pick<Person, 'organizationId' | 'userId'>) {
  return (await tableOf(product, person.organizationId).read(userKey(person.userId)))?.data;
}

export async function changeOrganization(
  product: Product,
  organizationId: string,
  changes: Partial<Organization>,
): Promise<void> {
  const table = tableOf(product, organizationId);
  const stored = await table.read(organizationKey());
  if (stored === undefined) {
    throw new Error('There is no such organization');
  }
  await table.commit([table.replace(stored, { ...stored.data, ...changes })]);
}

export async function organizationOf(product: Product, organizationId: string) {
  return (await tableOf(product, organizationId).read(organizationKey()))?.data;
}

export async function addDepartment(product: Product, organizationId: string): Promise<string> {
  const table = tableOf(product, organizationId);
  const { newId, now } = scope();
  const _id = newId();
  const at = timestamp(now);
  await table.commit([
    table.add(departmentKey(_id), { _id, organizationId, name: 'Sales', createdAt: at, updatedAt: at }),
  ]);
  return _id;
}

/** The keys of everything in the table. */
export async function everything(product: Product): Promise<Set<string>> {
  const client = new DynamoDBClient({});
  try {
    const found = new Set<string>();
    let start: Record<string, never> | undefined;
    do {
      const { Items, LastEvaluatedKey } = await client.send(
        new ScanCommand({
          TableName: product.tableName,
          ConsistentRead: true,
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      for (const { pk, sk } of Items ?? []) {
        found.add(`${pk?.S} ${sk?.S}`);
      }
      start = LastEvaluatedKey as typeof start;
    } while (start !== undefined);
    return found;
  } finally {
    client.destroy();
  }
}
