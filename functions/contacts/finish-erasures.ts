import { requestCompactions } from '../../shared/column-index/request-compactions.ts';
import { scheduleOperation } from '../../shared/kernel/trigger.ts';
import { eraseEvents } from './model/erasure/erase-events.ts';
import { eraseGivenUp } from './model/erasure/erase-given-up.ts';

export default scheduleOperation({
  on: { everyMinutes: 30 },
  summary:
    'Take deleted contacts out of search indexes, events, and what failed and waits to be processed again',
  uses: { platform: 'write', organizations: 'write', givenUp: 'erase', queue: 'compactions' },
  async run({ platform, organizations, givenUp, queue, now, deadline }) {
    // Started together, so that a failure of one does not keep the other from finishing.
    const [compactions, erasures, events] = await Promise.allSettled([
      requestCompactions({ platform, queue }),
      eraseGivenUp({ platform, organizations, givenUp }, now, deadline),
      eraseEvents({ platform, organizations }, now, deadline),
    ]);
    if (compactions.status === 'rejected') {
      throw compactions.reason;
    }
    if (erasures.status === 'rejected') {
      throw erasures.reason;
    }
    if (events.status === 'rejected') {
      throw events.reason;
    }
    return { ...events.value, ...compactions.value, ...erasures.value };
  },
});
