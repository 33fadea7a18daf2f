import { randomUUID } from 'node:crypto';
import { credentialsKey } from '../../functions/auth/model/credentials.ts';
import { emailDigest } from '../../functions/auth/model/email.ts';
import { factorKey } from '../../functions/auth/model/factors/factor.ts';
import { timestamp } from '../../shared/kernel/time.ts';
import {
  departmentKey,
  type Organization,
  organizationKey,
} from '../../shared/organizations/organization.ts';
import { type User, userKey } from '../../shared/organizations/user.ts';
import type { Key } from '../../shared/table/key.ts';
import type { TableWriter } from '../../shared/table/table.ts';
import { invocationScope } from '../harness/objects.ts';
import { cheapPasswords, type Person, type Product, password } from '../harness/product.ts';
import { readRows } from '../seed/table.ts';

/** The scope of an invocation that no request started. */
export const scope = () => invocationScope(undefined);

export function identityTable(product: Product): TableWriter<'identity'> {
  return product.providers.identity?.(scope()) as TableWriter<'identity'>;
}

async function change<Data extends object>(table: TableWriter, key: Key<Data>, changes: Partial<Data>) {
  const stored = await table.read(key);
  if (stored === undefined) {
    throw new Error(`There is no ${key.sort.join('#')}`);
  }
  await table.commit([table.replace(stored, { ...stored.data, ...changes })]);
}

export function changeUser(product: Product, { organizationId, userId }: Person, changes: Partial<User>) {
  return change(product.tableOf(organizationId).table, userKey(userId), changes);
}

/** Gives a person the password back that everybody has at first, if it was changed. */
export async function putPasswordBack(product: Product, { email }: Pick<Person, 'email'>): Promise<void> {
  const identity = identityTable(product);
  await identity.optimistically(async () => {
    const stored = await identity.read(credentialsKey(emailDigest(email)));
    if (stored === undefined || (await cheapPasswords.verify(password, stored.data.passwordHash)).matches) {
      return;
    }
    const passwordHash = await cheapPasswords.hash(password);
    await identity.commit([identity.replace(stored, { ...stored.data, passwordHash })]);
  });
}

/** Takes a person's second factor away, if there is one. */
export async function forgetFactor(product: Product, person: Person): Promise<void> {
  const identity = identityTable(product);
  await identity.commit([identity.delete(factorKey(person.userId))]);
  const { factorId, ...user } = (await readUser(product, person)) ?? {};
  if (factorId !== undefined) {
    const { table } = product.tableOf(person.organizationId);
    const stored = await table.read(userKey(person.userId));
    await table.commit(stored ? [table.replace(stored, user as User)] : []);
  }
}

export async function readUser(product: Product, person: Pick<Person, 'organizationId' | 'userId'>) {
  return (await product.tableOf(person.organizationId).table.read(userKey(person.userId)))?.data;
}

export function changeOrganization(product: Product, organizationId: string, changes: Partial<Organization>) {
  return change(product.tableOf(organizationId).table, organizationKey(), changes);
}

export async function readOrganization(product: Product, organizationId: string) {
  return (await product.tableOf(organizationId).table.read(organizationKey()))?.data;
}

export async function addDepartment(product: Product, organizationId: string): Promise<string> {
  const table = product.tableOf(organizationId).table;
  const { newId, now } = scope();
  const _id = newId();
  const at = timestamp(now);
  await table.commit([
    table.add(departmentKey(_id), { _id, organizationId, name: 'Sales', createdAt: at, updatedAt: at }),
  ]);
  return _id;
}

/** The keys of everything in the table. */
export async function everything({ tableName }: Product): Promise<Set<string>> {
  const rows = await readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', tableName);
  return new Set(rows.map(({ pk, sk }) => `${pk} ${sk}`));
}

/** The body with which a new person registers; `more` replaces or adds fields. */
export function newcomer(more: Record<string, unknown> = {}) {
  return {
    email: `person-${randomUUID()}@example.com`,
    password,
    firstName: 'Ada',
    lastName: 'Byron',
    ...more,
  };
}
