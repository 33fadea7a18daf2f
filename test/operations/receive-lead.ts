import { expectStatus, newPhoneNumber, row, type World } from '../harness/world.ts';

/** One for all leads: a source sends many. */
const configurations = new WeakMap<World, Promise<string>>();

async function newConfiguration({ product, admin }: World): Promise<string> {
  const body = { name: 'Website', source: 'Website' };
  const created = await product.call('create-outreach-configuration', { token: admin.token, body });
  return expectStatus(created, 201).data._id;
}

export default row({
  about: 'self',
  request: async (world) => {
    const known = configurations.get(world) ?? newConfiguration(world);
    configurations.set(world, known);
    const lead = { phoneNumber: newPhoneNumber(), firstName: 'Ada', lastName: 'Lovelace' };
    return {
      body: { configurationId: await known, ...lead, email: 'ada@example.com', customData: { a: 1 } },
    };
  },
});
