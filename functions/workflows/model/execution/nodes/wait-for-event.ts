import { after, timestamp } from '../../../../../shared/kernel/time.ts';
import { durationInMilliseconds, toAwaitedEvent } from '../../definition/node-fields.ts';
import { waitForEvent } from '../../definition/wait-nodes.ts';
import { executable } from '../executable.ts';

export default executable(waitForEvent, {
  decide: (data, { now, token }) => ({
    outcome: token.listens?.heard
      ? { status: 'passed', way: 'received' }
      : {
          status: 'waiting',
          until: timestamp(after(now, durationInMilliseconds(data.timeout))),
          awaits: toAwaitedEvent(data),
        },
  }),
});
