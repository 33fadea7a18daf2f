import { accessCase, arrange } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  fieldStatuses: { segmentId: 400 },
  async request({ product, admin, foreignAdmin }) {
    for (const { token, organizationId } of [admin, foreignAdmin]) {
      const body = { repsMayExport: true };
      await arrange(product.call('update-organization', { token, path: { organizationId }, body }));
    }
    return { body: { filter: {}, format: 'csv' } };
  },
});
