import { credentialsKey } from '../../../functions/auth/model/credentials.ts';
import { emailDigest } from '../../../functions/auth/model/email.ts';
import { foundingSteps, newOrganization } from '../../../functions/auth/model/new-organization.ts';
import { newUser } from '../../../functions/auth/model/registration.ts';
import * as demo from '../../../shared/demo-ids.ts';
import type { Role } from '../../../shared/kernel/caller.ts';
import { timestamp } from '../../../shared/kernel/time.ts';
import { newDepartmentSteps } from '../../../shared/organizations/departments.ts';
import type { Department, Organization } from '../../../shared/organizations/organization.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { userKey } from '../../../shared/organizations/user.ts';
import type { Step } from '../../../shared/table/table.ts';
import type { LoadedTable } from './connection.ts';

/** Somebody who can log in. */
interface Account {
  readonly _id: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  /** Ids. */
  readonly departmentIds: readonly string[];
}

const superadmin: Account = {
  _id: demo.superadmin,
  email: 'superadmin@example.com',
  firstName: 'Sam',
  lastName: 'Keller',
  role: 'SUPERADMIN',
  departmentIds: [],
};

const demoDepartments = [
  { _id: demo.salesNorth, name: 'Sales North' },
  { _id: demo.salesSouth, name: 'Sales South' },
  { _id: demo.support, name: 'Support' },
  { _id: demo.spareDepartment, name: 'Trade fairs' },
];

const demoAccounts: readonly Account[] = [
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

/** An organization with its people, as the registration of each would have left them. */
export interface Founded {
  readonly organization: Organization;
  readonly departments: readonly Department[];
  readonly users: readonly User[];
}

export function platform(at: Date): Founded {
  return founded({ _id: demo.platform, name: 'Switchboard platform' }, [], [superadmin], at);
}

export function demoOrganization(at: Date): Founded {
  return founded({ _id: demo.organization, name: 'Bluebird Trading' }, demoDepartments, demoAccounts, at);
}

function founded(
  { _id: organizationId, name }: Pick<Organization, '_id' | 'name'>,
  departments: readonly Pick<Department, '_id' | 'name'>[],
  accounts: readonly Account[],
  at: Date,
): Founded {
  return {
    organization: newOrganization(organizationId, name, at),
    departments: departments.map((department) => ({
      ...department,
      organizationId,
      createdAt: timestamp(at),
      updatedAt: timestamp(at),
    })),
    users: accounts.map(({ _id, departmentIds, ...account }) =>
      newUser(_id, organizationId, { ...account, password: '', departmentIds: [...departmentIds] }, at),
    ),
  };
}

/** The steps that found the organization and let each of its users log in; every one needs a hash of its own. */
export async function foundedSteps(
  { identity, organization: tableOf }: LoadedTable,
  { organization, departments, users }: Founded,
  newHash: () => Promise<string>,
  newId: () => string,
  at: Date,
): Promise<Step[]> {
  const table = tableOf(organization._id);
  const accounts = await Promise.all(
    users.map(async (user) => ({
      user,
      credentials: {
        userId: user._id,
        organizationId: organization._id,
        passwordHash: await newHash(),
      },
    })),
  );
  return [
    ...foundingSteps(table, organization, newId, at),
    ...departments.flatMap((department) => newDepartmentSteps(table, department)),
    ...accounts.flatMap(({ user, credentials }) => [
      identity.add(credentialsKey(emailDigest(user.email)), credentials),
      table.add(userKey(user._id), user),
    ]),
  ];
}
