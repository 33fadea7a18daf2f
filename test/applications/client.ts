import type { Application } from '../../shared/applications/application.ts';
import type { Contact } from '../../shared/contacts/contact.ts';
import type { Answer, Person, Product } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';

/** A contact in a column of a board of applications. */
export type Applicant = Contact & { applicationId: string };

export type ApplicationBoard = Record<string, { contacts: Applicant[]; total: number }>;

/** The operations on applications, as one person calls them. */
export interface ApplicationsClient {
  create(body: Record<string, unknown>, at?: Date): Promise<Answer>;
  read(id: string): Promise<Answer>;
  manage(id: string): Promise<Answer>;
  move(id: string, body: Record<string, unknown>, at?: Date): Promise<Answer>;
  remove(id: string): Promise<Answer>;
  /** A new application; creating it must succeed. */
  created(body: Record<string, unknown>, at?: Date): Promise<Application>;
  /** The Application board; reading it must succeed. */
  board(body?: Record<string, unknown>): Promise<ApplicationBoard>;
  /** Everything on the Application board, by paging to the end; each total must be what was paged through. */
  everything(body?: Record<string, unknown>): Promise<Applicant[]>;
}

export function applicationsClient(product: Product, { token }: Person): ApplicationsClient {
  const call = (name: string, more: object, at?: Date) =>
    product.call(name, { token, ...more, ...(at === undefined ? {} : { at }) });
  const board = async (body: Record<string, unknown> = {}): Promise<ApplicationBoard> =>
    expectStatus(
      await call('list-contacts-by-stage', { body: { pipelineType: 'Application', ...body } }),
      200,
    ).data;
  return {
    create: (body, at) => call('create-application', { body }, at),
    read: (id) => call('read-application', { path: { id } }),
    manage: (id) => call('read-application-management', { path: { id } }),
    move: (id, body, at) => call('move-application', { path: { id }, body }, at),
    remove: (id) => call('delete-application', { path: { id } }),
    created: async (body, at) => expectStatus(await call('create-application', { body }, at), 201).data,
    board,
    async everything(body = {}) {
      const size = 7;
      const all: Applicant[] = [];
      for (const [stage, { contacts, total }] of Object.entries(await board({ ...body, size }))) {
        const column = [...contacts];
        for (let page = 2; column.length < total; page += 1) {
          const next = (await board({ ...body, size, page: { [stage]: page } }))[stage];
          if (!next?.contacts.length) {
            break;
          }
          column.push(...next.contacts);
        }
        if (column.length !== total) {
          throw new Error(`${stage} says ${total} and shows ${column.length}`);
        }
        all.push(...column);
      }
      return all;
    },
  };
}

/** Decisions 10: "Application", to the letter. */
export const applicationFields = [
  '_id',
  'organizationId',
  'contactId',
  'userId',
  'name',
  'pipelineId',
  'stageId',
  'stage',
  'customFields',
  'createdAt',
  'updatedAt',
];
