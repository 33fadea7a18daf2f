import type { Answer, Call, Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/world.ts';

export interface Configuration {
  _id: string;
  secret?: string;
  [field: string]: unknown;
}

/** Of a configuration as answered, without its secret. */
export const configurationKeys = [
  '_id',
  'organizationId',
  'userId',
  'name',
  'source',
  'pipelineId',
  'stageId',
  'ownerId',
  'createApplication',
  'isActive',
  'hasSecret',
  'createdAt',
  'updatedAt',
];

/** A source of leads for an organization, and its administrator; `usual` goes with every lead. */
export interface LeadsClient {
  readonly admin: Person;
  configure(body?: Record<string, unknown>): Promise<Configuration>;
  change(id: string, body: Record<string, unknown>): Promise<Answer>;
  /** Sends a lead of somebody new to a configuration; `lead` replaces or adds fields. */
  send(configurationId: string, lead?: Record<string, unknown>, more?: Call): Promise<Answer>;
  /** The ids that a lead gets; it must be received. */
  sent(configurationId: string, lead?: Record<string, unknown>, more?: Call): Promise<LeadIds>;
  contact(id: string): Promise<Record<string, unknown>>;
  conversations(contactId: string): Promise<Record<string, unknown>[]>;
}

export interface LeadIds {
  contactId: string;
  conversationId: string;
  applicationId: string | null;
}

export function leadsClient(product: Product, admin: Person, usual: Call = {}): LeadsClient {
  const { token } = admin;
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const send: LeadsClient['send'] = (configurationId, lead = {}, more = {}) => {
    const body = { configurationId, ...newLead(), ...lead };
    return product.call('receive-lead', { body, ...usual, ...more });
  };
  return {
    admin,
    configure: async (body = {}) =>
      expectStatus(await call('create-outreach-configuration', { body: { name: 'Spring', ...body } }), 201)
        .data,
    change: (id, body) => call('update-outreach-configuration', { path: { id }, body }),
    send,
    sent: async (...lead) => expectStatus(await send(...lead), 200).data,
    contact: async (id) => expectStatus(await call('read-contact', { path: { id } }), 200).data,
    conversations: async (contactId) =>
      expectStatus(await call('list-conversations', { query: { contactId } }), 200).data,
  };
}

/** Of somebody with a number that nobody else has. */
export function newLead() {
  return { phoneNumber: newPhoneNumber(), firstName: 'Ada', lastName: 'Lovelace' };
}
