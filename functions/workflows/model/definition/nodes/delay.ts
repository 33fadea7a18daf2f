import { after, timestamp } from '../../../../../shared/kernel/time.ts';
import { Duration, millisecondsOf } from './node-fields.ts';
import { nodeType } from './node-type.ts';

export default nodeType({
  type: 'delay',
  title: 'Delay',
  description: 'Waits for at most 365 days, then continues.',
  schema: Duration,
  waits: true,
  decide: (data, { now }) => ({
    outcome: { status: 'waiting', until: timestamp(after(now, millisecondsOf(data))) },
  }),
});
