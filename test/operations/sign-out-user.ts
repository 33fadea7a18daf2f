import { accessCase } from '../harness/tenants.ts';

export default accessCase({ subject: 'shared', request: (_, by) => ({ path: { id: by.userId } }) });
