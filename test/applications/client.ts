import type { Application } from '../../shared/contact-aggregate/application.ts';
import type { Contact } from '../../shared/contacts/contact.ts';
import { everyColumn } from '../contacts/client.ts';
import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { everyPage, expectStatus, type Tenants } from '../harness/tenants.ts';
import { pipelinesClient } from '../pipelines/client.ts';

/** A contact in a column of a board of applications. */
export type Applicant = Contact & { applicationId: string };

export type ApplicationBoard = Record<string, { contacts: Applicant[]; total: number }>;

type Fields = Record<string, unknown>;

/** The operations on applications, as one person calls them. */
export function applicationsClient(product: Product, { token }: Person) {
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const create = (body: Fields, at?: Date) => call('create-application', { body, at });
  const board = async (body: Fields = {}): Promise<ApplicationBoard> =>
    expectStatus(
      await call('list-contacts-by-stage', { body: { pipelineType: 'Application', ...body } }),
      200,
    ).data;
  return {
    create,
    read: (id: string) => call('read-application', { path: { id } }),
    manage: (id: string) => call('read-application-management', { path: { id } }),
    move: (id: string, body: Fields, at?: Date) => call('move-application', { path: { id }, body, at }),
    update: (id: string, body: Fields, at?: Date) => call('update-application', { path: { id }, body, at }),
    list: (query: Record<string, string> = {}) => call('list-applications', { query }),
    /** All that the person is shown, by paging to the end. */
    listed: (query: Record<string, string> = {}): Promise<Application[]> =>
      everyPage((page) => call('list-applications', { query: page }), query),
    remove: (id: string) => call('delete-application', { path: { id } }),
    /** A new application; creating it must succeed. */
    created: async (body: Fields, at?: Date): Promise<Application> =>
      expectStatus(await create(body, at), 201).data,
    /** The Application board; reading it must succeed. */
    board,
    /** Everything on the Application board, by paging to the end. */
    everything: (body: Fields = {}) => everyColumn((page) => board({ ...body, size: 7, ...page })),
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

/** An application that `rep` makes of a new contact of `rep`, in the pipeline that the organization began with. */
export async function newApplication({ product, rep, newContact }: Tenants): Promise<Application> {
  const [pipeline] = await pipelinesClient(product, rep).list('Application');
  const { _id: contactId } = await newContact();
  const body = { contactId, name: 'Trade account', pipelineId: pipeline?._id };
  return applicationsClient(product, rep).created(body);
}
