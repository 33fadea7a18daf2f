import { randomUUID } from 'node:crypto';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus, type Tenants } from '../harness/tenants.ts';

export interface WorkflowRecord {
  readonly _id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly [property: string]: unknown;
}

export type WorkflowsClient = ReturnType<typeof workflowsClient>;

/** The operations on workflows, as one person calls them. A body that is a string is sent as it is. */
export function workflowsClient(product: Product, { token }: Person) {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const create = (body: unknown, more?: Call) => call('create-workflow', { body, ...more });
  const list = (query: Record<string, string> = {}) => call('list-workflows', { query });
  return {
    create,
    read: (id: string) => call('read-workflow', { path: { id } }),
    update: (id: string, body: unknown, more?: Call) =>
      call('update-workflow', { path: { id }, body, ...more }),
    /** Flips it unless the body says otherwise. */
    toggle: (id: string, body: unknown = {}, more?: Call) =>
      call('toggle-workflow', { path: { id }, body, ...more }),
    remove: (id: string) => call('delete-workflow', { path: { id } }),
    list,
    /** A new workflow of a name that no other has; creating it must succeed. */
    created: async (body: Record<string, unknown> = {}, more?: Call): Promise<WorkflowRecord> =>
      expectStatus(await create({ name: randomUUID(), ...body }, more), 201).data,
    /** All that a query finds, by paging to the end. */
    everything: (query?: Record<string, string>) => everyPage<WorkflowRecord>(list, query),
  };
}

/** The client of the ADMIN of a new organization. */
export async function newWorkflowsClient(product: Product): Promise<WorkflowsClient & { admin: Person }> {
  const admin = await product.newOrganization();
  return { admin, ...workflowsClient(product, admin) };
}

/** A new workflow of `rep`. */
export function newWorkflow(
  { product, rep }: Tenants,
  body?: Record<string, unknown>,
): Promise<WorkflowRecord> {
  return workflowsClient(product, rep).created(body);
}
