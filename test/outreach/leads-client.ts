import type { Call } from '../harness/call.ts';
import type { Person, Product } from '../harness/product.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';

export interface Configuration {
  _id: string;
  secret?: string;
  [field: string]: unknown;
}

/** The fields of a configuration as answered, without its secret. */
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

export interface LeadIds {
  contactId: string;
  conversationId: string;
  applicationId: string | null;
}

type Fields = Record<string, unknown>;

export type LeadsClient = ReturnType<typeof leadsClient>;

/** A source of leads for an organization, and its administrator; `usual` goes with every lead. */
export function leadsClient(product: Product, admin: Person, usual: Call = {}) {
  const { token } = admin;
  const call = (name: string, more: Call) => product.call(name, { token, ...more });
  const send = (configurationId: string, lead: Fields = {}, more: Call = {}) => {
    const body = { configurationId, ...newLead(), ...lead };
    return product.call('receive-lead', { body, ...usual, ...more });
  };
  return {
    admin,
    async configure(more: Fields = {}): Promise<Configuration> {
      const body = { name: 'Spring', ...more };
      return expectStatus(await call('create-outreach-configuration', { body }), 201).data;
    },
    change: (id: string, body: Fields) => call('update-outreach-configuration', { path: { id }, body }),
    /** Sends a lead of somebody new to a configuration; `lead` replaces or adds fields. */
    send,
    /** The ids that a lead gets; it must be received. */
    sent: async (...lead: Parameters<typeof send>): Promise<LeadIds> =>
      expectStatus(await send(...lead), 200).data,
    contact: async (id: string): Promise<Fields> =>
      expectStatus(await call('read-contact', { path: { id } }), 200).data,
    conversations: async (contactId: string): Promise<Fields[]> =>
      expectStatus(await call('list-conversations', { query: { contactId } }), 200).data,
  };
}

/** A lead of somebody with a number that nobody else has. */
export function newLead() {
  return { phoneNumber: newPhoneNumber(), firstName: 'Ada', lastName: 'Lovelace' };
}
