import { randomUUID } from 'node:crypto';
import { accessCase } from '../harness/tenants.ts';

export default accessCase({
  subject: 'organization',
  request: () => ({ body: { name: randomUUID(), nodes: [], enabled: true } }),
});
