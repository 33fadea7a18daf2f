import { randomUUID } from 'node:crypto';
import { row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: () => ({ body: { name: randomUUID(), nodes: [], enabled: true } }),
});
