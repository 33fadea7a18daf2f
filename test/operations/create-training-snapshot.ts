import { row } from '../harness/world.ts';
import { newSnapshot } from '../training/snapshots.ts';

export default row({ about: 'record', request: async (world) => ({ body: await newSnapshot(world) }) });
