import { accessCase, expectStatus, newPhoneNumber, type Tenants } from '../harness/tenants.ts';

/** One for all leads: a source sends many. */
const configurations = new WeakMap<Tenants, Promise<string>>();

async function newConfiguration({ product, admin }: Tenants): Promise<string> {
  const body = { name: 'Website', source: 'Website' };
  const created = await product.call('create-outreach-configuration', { token: admin.token, body });
  return expectStatus(created, 201).data._id;
}

export default accessCase({
  subject: 'self',
  request: async (tenants) => {
    const known = configurations.get(tenants) ?? newConfiguration(tenants);
    configurations.set(tenants, known);
    const lead = { phoneNumber: newPhoneNumber(), firstName: 'Ada', lastName: 'Lovelace' };
    return {
      body: { configurationId: await known, ...lead, email: 'ada@example.com', customData: { a: 1 } },
    };
  },
});
