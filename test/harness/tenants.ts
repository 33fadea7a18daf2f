import { randomInt } from 'node:crypto';
import { timestamp } from '../../shared/kernel/time.ts';
import { newDepartmentActions } from '../../shared/organizations/departments.ts';
import type { ApiResponse, Call } from './call.ts';
import { type Person, type Product, startProduct } from './product.ts';

/** Organizations with people in every role, in which every operation can be tried. */
export interface Tenants {
  readonly product: Product;
  /** Belongs to a third organization, and is foreign, too, unless the header `x-organization-id` names another one. */
  readonly superadmin: Person;
  readonly admin: Person;
  /** Heads a department that `rep` belongs to. */
  readonly head: Person;
  readonly rep: Person;
  /** Belongs to the same organization, but to no department and no record. */
  readonly otherRep: Person;
  /** Heads a department without `rep`. */
  readonly otherHead: Person;
  /** ADMIN of another organization. */
  readonly foreignAdmin: Person;
  /** DEPARTMENT_HEAD of that other organization. */
  readonly foreignHead: Person;
  /** SALES_REP of that other organization, in the department of its head. */
  readonly foreignRep: Person;
  /** Creates a contact of `rep`, and resolves with its record. */
  newContact(
    more?: Record<string, unknown>,
  ): Promise<{ _id: string; stageId: string; [field: string]: unknown }>;
}

export async function startTenants(): Promise<Tenants> {
  const product = await startProduct();
  const [superadmin, admin, foreignAdmin] = await Promise.all([
    product.newSuperadmin(),
    product.newOrganization(),
    product.newOrganization(),
  ]);
  const [north, south, abroad] = await Promise.all([
    newDepartment(product, admin),
    newDepartment(product, admin),
    newDepartment(product, foreignAdmin),
  ]);
  const [[head, rep, otherRep, otherHead], [foreignHead, foreignRep]] = await Promise.all([
    product.newColleagues(admin, [
      { role: 'DEPARTMENT_HEAD', departmentIds: [north] },
      { role: 'SALES_REP', departmentIds: [north] },
      { role: 'SALES_REP' },
      { role: 'DEPARTMENT_HEAD', departmentIds: [south] },
    ]),
    product.newColleagues(foreignAdmin, [
      { role: 'DEPARTMENT_HEAD', departmentIds: [abroad] },
      { role: 'SALES_REP', departmentIds: [abroad] },
    ]),
  ]);
  return {
    product,
    superadmin,
    admin,
    head,
    rep,
    otherRep,
    otherHead,
    foreignAdmin,
    foreignHead,
    foreignRep,
    async newContact(more = {}) {
      const body = {
        firstName: 'Secret',
        lastName: 'Person',
        phoneNumbers: [{ value: newPhoneNumber() }],
        ...more,
      };
      return expectStatus(await product.call('create-contact', { token: rep.token, body }), 201).data;
    },
  };
}

/** A new department; its id. */
async function newDepartment(product: Product, { organizationId }: Person): Promise<string> {
  const { table, moment } = product.tableOf(organizationId);
  const [_id, at] = [moment.newId(), timestamp(moment.now)];
  const name = `Department ${newPhoneNumber()}`;
  await table.commit(
    newDepartmentActions(table, { _id, organizationId, name, createdAt: at, updatedAt: at }),
  );
  return _id;
}

/** A phone number that nobody else has. Country code 999 is reserved. */
export function newPhoneNumber(): string {
  return `+999${String(randomInt(1e11)).padStart(11, '0')}`;
}

/** The body of a response. @throws with that body when the response has another status. */
export function expectStatus(response: ApiResponse, status: number): ApiResponse['body'] {
  if (response.status !== status) {
    throw new Error(
      `Expected ${status}, got ${response.status}: ${JSON.stringify(response.body).slice(0, 500)}`,
    );
  }
  return response.body;
}

/** The body of a response that only prepares a test. @throws unless the request succeeded. */
export async function arrange(response: Promise<ApiResponse>): Promise<ApiResponse['body']> {
  const { status, body } = await response;
  if (status >= 300) {
    throw new Error(`The arrangement got ${status}: ${JSON.stringify(body).slice(0, 500)}`);
  }
  return body;
}

/** Everything that an operation lists, by paging to the end. */
export async function everyPage<Item>(
  list: (query: Record<string, string>) => Promise<ApiResponse>,
  query: Record<string, string> = {},
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = expectStatus(await list({ ...query, ...(cursor && { cursor }) }), 200);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

/** How many responses had each status. */
export function countStatuses(responses: readonly ApiResponse[]): Record<string, number> {
  const byStatus = Map.groupBy(responses, ({ status }) => status);
  return Object.fromEntries([...byStatus].map(([status, of]) => [status, of.length]));
}

/** The part of a response that the contract fixes. */
export const outcome = ({ status, body }: ApiResponse) => ({ status, body });

/** The outcome of a call that fails, in the shape of the family `plain`. */
export const failure = (status: number, message: unknown) => ({ status, body: { success: false, message } });

/**
 * The generated tests need this of an operation: a request that succeeds for everybody who may send it. Each operation that
 * takes more than the organization in its path has a case in the file `test/operations/<operation>.ts`; without one, the tests fail.
 */
export interface AccessCase {
  /**
   * `record`: about a record with people of its own, which the visibility rule decides on; the request is about a record of
   * `rep`. `shared`: about a record that everybody in the organization may see. `organization`: about the caller's
   * organization as a whole. `named-organization`: about the organization that the path names. `self`: about the caller or nobody.
   */
  readonly subject: 'record' | 'shared' | 'organization' | 'named-organization' | 'self';
  /** The status of the response, if it is not the operation's success status. */
  readonly status?: number;
  /** The statuses for members who are refused because of the record and not of their role: only its author may edit a note. */
  readonly refused?: Partial<Record<'superadmin' | 'admin' | 'head' | 'rep', 403 | 404>>;
  /** The status with an API key of `admin`, where that is not the one without. */
  readonly byKey?: number;
  /** The statuses for some values of a body's field that its schema accepts but the operation refuses. */
  readonly fieldStatuses?: Readonly<Record<string, number>>;
  /**
   * A new request each time, since it may consume what it is about. `by` is who will send it, where that is somebody of the
   * organization that it is about; else its `rep`.
   */
  request(tenants: Tenants, by: Person): Promise<Call> | Call;
}

export const accessCase = (definition: AccessCase): AccessCase => definition;

/** Returns two values in turn, for a request that changes something each time it is sent. */
export function inTurn<T>(one: T, other: T): () => T {
  let isOne = false;
  return () => {
    isOne = !isOne;
    return isOne ? one : other;
  };
}
