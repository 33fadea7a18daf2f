import login from '../../../functions/auth/login.ts';
import register from '../../../functions/auth/register.ts';
import createDepartment from '../../../functions/organizations/create-department.ts';
import type { Role } from '../../../shared/kernel/caller.ts';
import * as demo from '../../../shared/kernel/demo-ids.ts';
import { after, day } from '../../../shared/kernel/time.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import { scopeAmong, sees } from '../../../shared/organizations/visibility.ts';
import { inParallel } from './in-parallel.ts';
import type { Past } from './past.ts';
import { fixedIds } from './randomness.ts';

type Row = readonly [
  _id: string,
  login: string,
  firstName: string,
  lastName: string,
  role: Role,
  departmentIds: string[],
];

const rows: readonly Row[] = [
  [demo.admin, 'admin', 'Amelia', 'Okafor', 'ADMIN', []],
  [demo.head, 'head', 'Henrik', 'Lindqvist', 'DEPARTMENT_HEAD', [demo.salesNorth]],
  [demo.rep, 'rep', 'Rosa', 'Delgado', 'SALES_REP', [demo.salesNorth]],
  [demo.yuki, 'yuki', '結希', '田中', 'SALES_REP', [demo.salesNorth, demo.support]],
  [demo.noor, 'noor', 'نور', 'حداد', 'DEPARTMENT_HEAD', [demo.salesSouth]],
  [demo.matteo, 'matteo', 'Matteo', 'Rossi', 'SALES_REP', [demo.salesSouth]],
  [demo.olena, 'olena', 'Олена', 'Шевчук', 'SALES_REP', [demo.support]],
];

/** The users of the demo organization. */
export const accounts = rows.map(([_id, login, firstName, lastName, role, departmentIds]) => {
  return { _id, email: `${login}@example.com`, firstName, lastName, role, departmentIds };
});

const departments = [
  { _id: demo.salesNorth, name: 'Sales North' },
  { _id: demo.salesSouth, name: 'Sales South' },
  { _id: demo.support, name: 'Support' },
  { _id: demo.spareDepartment, name: 'Trade fairs' },
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
  await inParallel(others, ({ _id, body }) =>
    past.run(register, { at, body, token, ids: [_id, past.random.idAt(at)] }),
  );
}

/** A session of the admin on another device. */
export async function logInElsewhere(past: Past, password: string): Promise<void> {
  await past.run(login, {
    at: after(past.now, -2 * day),
    body: { email: 'admin@example.com', password },
    headers: { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Mobile/15E148' },
    ids: [demo.spareSession],
  });
}

/** The ids of the pipelines and stages that every organization starts with. */
function firstPipelines(seed: number): string[] {
  return Array.from({ length: 11 }, fixedIds(seed));
}

export function roleOf(userId: string): Role {
  return accounts.find(({ _id }) => _id === userId)?.role ?? 'SUPERADMIN';
}

/** The users who see the records of these people. */
export function accountsSeeing(people: readonly string[]) {
  return accounts.filter(({ _id: userId, role }) => sees(scopeAmong({ userId, role }, accounts), people));
}
