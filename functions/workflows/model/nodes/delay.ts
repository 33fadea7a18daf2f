import { after, timestamp } from '../../../../shared/kernel/time.ts';
import { Duration, millisecondsOf } from './node-fields.ts';
import { nodeType } from './node-type.ts';

export default nodeType({
  type: 'delay',
  title: 'Delay',
  description: 'Waits for a time of at most 365 days, then goes on.',
  schema: Duration,
  waits: true,
  decide: (data, { now }) => ({
    outcome: { status: 'waiting', until: timestamp(after(now, millisecondsOf(data))) },
  }),
});
