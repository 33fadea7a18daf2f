import { factorsClient } from '../auth/factors-client.ts';
import { row } from '../harness/world.ts';

export default row({
  about: 'shared',
  async request({ product, admin }) {
    const colleague = await product.newColleague(admin);
    await factorsClient(product).own(colleague);
    return { path: { id: colleague.userId } };
  },
});
