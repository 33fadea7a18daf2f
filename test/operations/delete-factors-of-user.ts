import { factorsClient } from '../auth/factors-client.ts';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'shared',
  async request({ product, admin }) {
    const colleague = await product.newColleague(admin);
    await factorsClient(product).own(colleague);
    return { path: { id: colleague.userId } };
  },
});
