import { row } from '../harness/world.ts';

export default row({ about: 'shared', request: ({ rep }) => ({ path: { id: rep.userId } }) });
