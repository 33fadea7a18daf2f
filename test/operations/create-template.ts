import { row } from '../harness/world.ts';

export default row({
  about: 'organization',
  request: () => ({ body: { name: 'Welcome', template: 'Hi {{firstName}}', type: 'sms' } }),
});
