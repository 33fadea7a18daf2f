import { row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: () => ({ body: { files: [{ name: 'offer.pdf', type: 'application/pdf', size: 1_000 }] } }),
});
