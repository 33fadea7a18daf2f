import { accessCase } from '../harness/tenants.ts';

export default accessCase({ subject: 'self', request: () => ({}) });
