import { accessCase } from '../harness/tenants.ts';

export default accessCase({ subject: 'shared', request: ({ rep }) => ({ path: { id: rep.userId } }) });
