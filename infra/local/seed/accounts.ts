import { emailDigest } from '../../../shared/auth/email.ts';
import { newUser } from '../../../shared/auth/registration.ts';
import type { Role } from '../../../shared/kernel/caller.ts';
import { newDepartmentSteps } from '../../../shared/organizations/departments.ts';
import { foundingSteps, newOrganization } from '../../../shared/organizations/founding.ts';
import type { Department, Organization } from '../../../shared/organizations/organization.ts';
import type { User } from '../../../shared/organizations/user.ts';
import { identityKeys } from '../../../shared/table/identity-keys.ts';
import { keys } from '../../../shared/table/keys.ts';
import type { Step } from '../../../shared/table/table.ts';
import { timestamp } from '../../../shared/time.ts';
import type { LoadedTable } from './connection.ts';
import type { Randomness } from './randomness.ts';

/** Somebody who can log in. */
interface Account {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  /** Names of departments. */
  readonly departments: readonly string[];
}

const superadmin: Account = {
  email: 'superadmin@example.com',
  firstName: 'Sam',
  lastName: 'Keller',
  role: 'SUPERADMIN',
  departments: [],
};

const demoDepartments = ['Sales North', 'Sales South', 'Support'];

const demoAccounts: readonly Account[] = [
  { email: 'admin@example.com', firstName: 'Amelia', lastName: 'Okafor', role: 'ADMIN', departments: [] },
  {
    email: 'head@example.com',
    firstName: 'Henrik',
    lastName: 'Lindqvist',
    role: 'DEPARTMENT_HEAD',
    departments: ['Sales North'],
  },
  {
    email: 'rep@example.com',
    firstName: 'Rosa',
    lastName: 'Delgado',
    role: 'SALES_REP',
    departments: ['Sales North'],
  },
  {
    email: 'yuki@example.com',
    firstName: '結希',
    lastName: '田中',
    role: 'SALES_REP',
    departments: ['Sales North', 'Support'],
  },
  {
    email: 'noor@example.com',
    firstName: 'نور',
    lastName: 'حداد',
    role: 'DEPARTMENT_HEAD',
    departments: ['Sales South'],
  },
  {
    email: 'matteo@example.com',
    firstName: 'Matteo',
    lastName: 'Rossi',
    role: 'SALES_REP',
    departments: ['Sales South'],
  },
  {
    email: 'olena@example.com',
    firstName: 'Олена',
    lastName: 'Шевчук',
    role: 'SALES_REP',
    departments: ['Support'],
  },
];

/** An organization with its people, as the registration of each would have left them. */
export interface Founded {
  readonly organization: Organization;
  readonly departments: readonly Department[];
  readonly users: readonly User[];
}

export function platform(random: Randomness, at: Date): Founded {
  return founded('Switchboard platform', [], [superadmin], random, at);
}

export function demoOrganization(random: Randomness, at: Date): Founded {
  return founded('Bluebird Trading', demoDepartments, demoAccounts, random, at);
}

function founded(
  name: string,
  departmentNames: readonly string[],
  accounts: readonly Account[],
  random: Randomness,
  at: Date,
): Founded {
  const organization = newOrganization(random.idAt(at), name, at);
  const departments = departmentNames.map((departmentName) => ({
    _id: random.idAt(at),
    organizationId: organization._id,
    name: departmentName,
    createdAt: timestamp(at),
    updatedAt: timestamp(at),
  }));
  const users = accounts.map(({ departments: own, ...account }) => {
    const departmentIds = departments.filter((one) => own.includes(one.name)).map(({ _id }) => _id);
    return newUser(random.idAt(at), organization._id, { ...account, password: '', departmentIds }, at);
  });
  return { organization, departments, users };
}

/** The steps that found the organization and let each of its users log in; every one needs a hash of its own. */
export async function foundedSteps(
  { identity, organization: tableOf }: LoadedTable,
  { organization, departments, users }: Founded,
  newHash: () => Promise<string>,
  random: Randomness,
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
    ...foundingSteps(table, organization, () => random.idAt(at), at),
    ...departments.flatMap((department) => newDepartmentSteps(table, department)),
    ...accounts.flatMap(({ user, credentials }) => [
      identity.add(identityKeys.email(emailDigest(user.email)), credentials),
      table.add(keys.user(user._id), user),
    ]),
  ];
}
