import register from '../../../functions/auth/register.ts';
import createDepartment from '../../../functions/organizations/create-department.ts';
import * as demo from '../../../shared/demo-ids.ts';
import type { Role } from '../../../shared/kernel/caller.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { scopeAmong, sees } from '../../../shared/visibility.ts';
import { each } from './each.ts';
import type { Past } from './past.ts';
import { fixedIds } from './randomness.ts';

/** Somebody of the demo organization who can log in. */
export interface Account {
  readonly _id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  /** Ids. */
  readonly departmentIds: string[];
}

const departments = [
  { _id: demo.salesNorth, name: 'Sales North' },
  { _id: demo.salesSouth, name: 'Sales South' },
  { _id: demo.support, name: 'Support' },
  { _id: demo.spareDepartment, name: 'Trade fairs' },
];

export const accounts: readonly Account[] = [
  {
    _id: demo.admin,
    email: 'admin@example.com',
    firstName: 'Amelia',
    lastName: 'Okafor',
    role: 'ADMIN',
    departmentIds: [],
  },
  {
    _id: demo.head,
    email: 'head@example.com',
    firstName: 'Henrik',
    lastName: 'Lindqvist',
    role: 'DEPARTMENT_HEAD',
    departmentIds: [demo.salesNorth],
  },
  {
    _id: demo.rep,
    email: 'rep@example.com',
    firstName: 'Rosa',
    lastName: 'Delgado',
    role: 'SALES_REP',
    departmentIds: [demo.salesNorth],
  },
  {
    _id: demo.yuki,
    email: 'yuki@example.com',
    firstName: '結希',
    lastName: '田中',
    role: 'SALES_REP',
    departmentIds: [demo.salesNorth, demo.support],
  },
  {
    _id: demo.noor,
    email: 'noor@example.com',
    firstName: 'نور',
    lastName: 'حداد',
    role: 'DEPARTMENT_HEAD',
    departmentIds: [demo.salesSouth],
  },
  {
    _id: demo.matteo,
    email: 'matteo@example.com',
    firstName: 'Matteo',
    lastName: 'Rossi',
    role: 'SALES_REP',
    departmentIds: [demo.salesSouth],
  },
  {
    _id: demo.olena,
    email: 'olena@example.com',
    firstName: 'Олена',
    lastName: 'Шевчук',
    role: 'SALES_REP',
    departmentIds: [demo.support],
  },
];

/** The SUPERADMIN, in an organization of its own. */
export async function registerSuperadmin(past: Past, password: string): Promise<void> {
  const person = { email: 'superadmin@example.com', firstName: 'Sam', lastName: 'Keller', role: 'ADMIN' };
  await past.run(register, {
    at: past.now,
    body: { ...person, password, organizationName: 'Switchboard platform' },
    ids: [demo.platform, demo.superadmin, undefined, ...firstPipelines(1)],
  });
  // No operation makes the first SUPERADMIN.
  const table = past.table(demo.platform);
  const user = await table.read(userKey(demo.superadmin));
  if (user !== undefined) {
    await table.commit([table.replace(user, { ...user.data, accessRole: 'SUPERADMIN' })]);
  }
}

/** The demo organization with its departments and its people. */
export async function registerPeople(past: Past, password: string, at: Date): Promise<void> {
  const [admin, ...others] = accounts.map(({ _id, ...account }) => ({ _id, body: { ...account, password } }));
  const { token } = await past.run<{ token: string }>(register, {
    at,
    body: { ...admin?.body, organizationName: 'Bluebird Trading' },
    ids: [demo.organization, demo.admin, undefined, ...firstPipelines(2)],
  });
  for (const { _id, name } of departments) {
    await past.run(createDepartment, { at, by: demo.admin, body: { name }, ids: [_id] });
  }
  await each(others, ({ _id, body }) =>
    past.run(register, { at, body, token, ids: [_id, past.random.idAt(at)] }),
  );
}

/** Ids of the pipelines and stages that an organization begins with. */
function firstPipelines(seed: number): string[] {
  return Array.from({ length: 11 }, fixedIds(seed));
}

export function roleOf(userId: string): Role {
  return accounts.find(({ _id }) => _id === userId)?.role ?? 'SUPERADMIN';
}

/** Those who see what belongs to these people. */
export function accountsSeeing(people: readonly string[]): Account[] {
  return accounts.filter(({ _id: userId, role }) => sees(scopeAmong({ userId, role }, accounts), people));
}
