import * as z from 'zod/mini';
import { nodeType } from './node-type.ts';

export default nodeType({
  type: 'stop',
  title: 'Stop',
  description: 'Ends the whole run, including its other branches, as `finished`, with the reason `stopped`.',
  schema: z.object({}),
  decide: () => ({ outcome: { status: 'passed', ends: 'run' } }),
});
