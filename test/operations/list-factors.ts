import { row } from '../harness/world.ts';

export default row({ about: 'self', request: () => ({}) });
