import { randomUUID } from 'node:crypto';
import { row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: () => ({ body: { email: `${randomUUID()}@example.com` } }),
});
