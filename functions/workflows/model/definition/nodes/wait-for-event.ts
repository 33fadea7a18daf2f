import * as z from 'zod/mini';
import { described } from '../../../../../shared/kernel/schemas/descriptions.ts';
import { after, timestamp } from '../../../../../shared/kernel/time.ts';
import type { Topic } from '../topics.ts';
import { readData } from './node-data.ts';
import {
  awaitedEventOf,
  Duration,
  eventFieldDescriptions,
  eventFields,
  millisecondsOf,
} from './node-fields.ts';
import { nodeType } from './node-type.ts';

const WaitForEventData = described(z.object({ ...eventFields, timeout: Duration }), {
  event: 'What it waits for, of the contact of the run.',
  ...eventFieldDescriptions,
  timeout: 'How long it waits, at most 365 days.',
});

export default nodeType({
  type: 'waitForEvent',
  title: 'Wait for an event',
  description:
    'Waits until something happens to the contact (the way `received`), or for a time (the way `timeout`). It listens from the step before it on: however fast the contact answers what that step sent, the answer is not missed. What happened earlier does not count.',
  schema: WaitForEventData,
  waits: true,
  ways: () => ['received', 'timeout'],
  awaits(data): readonly Topic[] {
    const read = readData(WaitForEventData, data);
    return read.success ? [read.data.event] : [];
  },
  listensTo(data) {
    const read = readData(WaitForEventData, data);
    return read.success ? awaitedEventOf(read.data) : undefined;
  },
  decide: (data, { now, token }) => ({
    outcome: token.listens?.heard
      ? { status: 'passed', way: 'received' }
      : {
          status: 'waiting',
          until: timestamp(after(now, millisecondsOf(data.timeout))),
          awaits: awaitedEventOf(data),
        },
  }),
});
