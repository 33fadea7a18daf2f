import * as z from 'zod/mini';
import { nodeType } from './node-type.ts';

export default nodeType({
  type: 'stop',
  title: 'Stop',
  description: 'Ends the run, also where it waits or goes on elsewhere.',
  schema: z.object({}),
  decide: () => ({ outcome: { status: 'passed', ends: 'run' } }),
});
