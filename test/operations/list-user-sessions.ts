import { row } from '../harness/world.ts';

export default row({ about: 'shared', request: (_, by) => ({ path: { id: by.userId } }) });
