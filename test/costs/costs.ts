import { reaches } from '../../shared/kernel/caller.ts';
import type { Consumption } from '../../shared/kernel/ports.ts';
import { type OperationCase, operationsWithCases } from '../access/operations.ts';
import { newApiKey } from '../api-keys/keys.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, type Tenants } from '../harness/tenants.ts';
import table from './costs.json' with { type: 'json' };

/** The units that a request consumes of the table. */
export type Cost = Omit<Consumption, 'requests'>;

/** By operation, in the order of their names. */
export type Costs = Readonly<Record<string, Cost>>;

/** The table of costs, which `npm run costs` writes. */
export const costs: Costs = table;

/** Requests of each operation, after the first. Few, because a list costs as much as its page, which each creation fills. */
const calls = 3;

/** Sends the request of the case of every HTTP operation, several times: the first one fills what a process remembers. */
export async function measureCosts(tenants: Tenants): Promise<Costs> {
  const measured: [string, Cost][] = [];
  for (const one of await operationsWithCases()) {
    measured.push([one.name, await measureCost(one, tenants)]);
  }
  return Object.fromEntries(measured.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function measureCost({ name, operation, accessCase }: OperationCase, tenants: Tenants): Promise<Cost> {
  const { product, admin } = tenants;
  const token =
    accessCase.byKey === undefined
      ? costCaller(operation.minimumRole, tenants)?.token
      : (await newApiKey(product, admin)).key;
  const consumed: Consumption[] = [];
  while (consumed.length <= calls) {
    const response = await product.call(name, {
      token,
      ...(await accessCase.request(tenants, tenants.rep)),
    });
    expectStatus(response, accessCase.byKey ?? accessCase.status ?? operation.status ?? 200);
    consumed.push(response.consumed ?? nothing);
  }
  const usual = (figure: keyof Cost) => middle(consumed.slice(1).map((consumption) => consumption[figure]));
  return {
    roundTrips: usual('roundTrips'),
    readUnits: usual('readUnits'),
    writeUnits: usual('writeUnits'),
  };
}

const nothing: Consumption = { requests: 0, roundTrips: 0, readUnits: 0, writeUnits: 0 };

/** The user with the lowest role that may send the request; nobody if it needs no login. */
export function costCaller(
  minimumRole: OperationCase['operation']['minimumRole'],
  { rep, head, admin, superadmin }: Tenants,
): Person | undefined {
  return minimumRole === 'anyone'
    ? undefined
    : [rep, head, admin, superadmin].find(({ role }) => reaches(role, minimumRole));
}

/** The one in the middle of an odd number of figures. */
const middle = (figures: readonly number[]) =>
  figures.toSorted((figure, other) => figure - other)[(figures.length - 1) / 2] ?? 0;
