import { randomUUID } from 'node:crypto';
import type { Answer, Call, Person, Product } from '../harness/product.ts';
import { expectStatus, type World } from '../harness/world.ts';

export interface WorkflowRecord {
  readonly _id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly [property: string]: unknown;
}

/** The operations on workflows, as one person calls them. A body that is a text is sent as it is. */
export interface WorkflowsClient {
  create(body: unknown, more?: Call): Promise<Answer>;
  read(id: string): Promise<Answer>;
  update(id: string, body: unknown, more?: Call): Promise<Answer>;
  /** Flips it unless the body says otherwise. */
  toggle(id: string, body?: unknown, more?: Call): Promise<Answer>;
  remove(id: string): Promise<Answer>;
  list(query?: Record<string, string>): Promise<Answer>;
  /** A new workflow of a name that no other has; creating it must succeed. */
  created(body?: Record<string, unknown>, more?: Call): Promise<WorkflowRecord>;
  /** All that a query finds, by paging to the end. */
  everything(query?: Record<string, string>): Promise<WorkflowRecord[]>;
}

export function workflowsClient(product: Product, { token }: Person): WorkflowsClient {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const create: WorkflowsClient['create'] = (body, more) => call('create-workflow', { body, ...more });
  const list: WorkflowsClient['list'] = (query = {}) => call('list-workflows', { query });
  return {
    create,
    read: (id) => call('read-workflow', { path: { id } }),
    update: (id, body, more) => call('update-workflow', { path: { id }, body, ...more }),
    toggle: (id, body = {}, more = {}) => call('toggle-workflow', { path: { id }, body, ...more }),
    remove: (id) => call('delete-workflow', { path: { id } }),
    list,
    created: async (body = {}, more) =>
      expectStatus(await create({ name: randomUUID(), ...body }, more), 201).data,
    async everything(query = {}) {
      const all: WorkflowRecord[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { data: WorkflowRecord[]; nextCursor: string | null } = expectStatus(
          await list({ ...query, ...(cursor && { cursor }) }),
          200,
        );
        all.push(...page.data);
        cursor = page.nextCursor;
      }
      return all;
    },
  };
}

/** The client of the ADMIN of a new organization. */
export async function newWorkflowsClient(product: Product): Promise<WorkflowsClient & { admin: Person }> {
  const admin = await product.newOrganization();
  return { admin, ...workflowsClient(product, admin) };
}

/** A new workflow of the world's `rep`. */
export function newWorkflow(
  { product, rep }: World,
  body?: Record<string, unknown>,
): Promise<WorkflowRecord> {
  return workflowsClient(product, rep).created(body);
}
