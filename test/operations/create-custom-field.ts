import { customFieldsClient } from '../custom-fields/client.ts';
import { accessCase, newPhoneNumber } from '../harness/tenants.ts';

const label = 'To try';

export default accessCase({
  subject: 'organization',
  async request({ product, admin }) {
    const fields = customFieldsClient(product, admin);
    // Those made for this before: one record holds all of an organization, and each makes every change of it dearer.
    for (const definition of await fields.list()) {
      if (definition.label === label) {
        await fields.remove(definition._id);
      }
    }
    return { body: { key: newPhoneNumber(), label, type: 'text', appliesTo: 'contact' } };
  },
});
