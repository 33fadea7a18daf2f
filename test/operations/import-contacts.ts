import { accessCase } from '../harness/tenants.ts';
import { uploadedFile } from '../notes/uploads-client.ts';

export default accessCase({
  subject: 'shared',
  fieldStatuses: { mapping: 200 },
  request: async ({ product }, by) => {
    const { key } = await uploadedFile(product, by, 'Name,Phone\nAda Lovelace,+13035550181\n', {
      ...{ name: 'contacts.csv', type: 'text/csv', size: 100 },
    });
    return { body: { key, mapping: { Name: 'fullName' } } };
  },
});
