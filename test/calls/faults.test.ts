import { afterEach, expect, test } from 'vitest';
import { conflict, replyLost, throttled, timedOut } from '../contacts/faulty-table.ts';
import type { ApiResponse } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpFaultyTable, setUpProduct } from '../harness/fixtures.ts';
import { newPhoneNumber } from '../harness/tenants.ts';
import { type CallRecord, callFailure, callsClient } from './client.ts';
import { callsIn, expectConsistent, readRecords } from './consistency.ts';

const product = await setUpProduct();
const admin = await product.newOrganization();
const client = callsClient(product, admin);
const table = setUpFaultyTable();
afterEach(() => table.clear());

/** Changes, what they leave of a call that was there, and how many events they emit. */
const changes: Record<
  string,
  { status: number; act: (call: CallRecord) => Promise<ApiResponse>; calls: number; events: number }
> = {
  'an inbound call of an unknown number': {
    status: 201,
    act: () => client.answer(newPhoneNumber()),
    calls: 2,
    events: 2,
  },
  'an inbound call of a known number': {
    status: 201,
    act: ({ from }) => client.answer(from ?? ''),
    calls: 2,
    events: 1,
  },
  'an outbound call': {
    status: 201,
    act: ({ contactId }) => client.dial({ contactId }),
    calls: 2,
    events: 1,
  },
  'an end': { status: 200, act: ({ _id }) => client.end(_id), calls: 1, events: 1 },
  'a missed call': {
    status: 201,
    act: ({ from }) => client.miss({ callerNumber: from }),
    calls: 2,
    events: 3,
  },
  'a discard': {
    status: 200,
    act: ({ _id, contactId }) => client.discard(_id, { contactId, deleteContact: true }),
    calls: 0,
    events: 1,
  },
};

const transaction = 'TransactWriteItemsCommand';
const eventCount = async () => (await readEvents(product, admin.organizationId)).length;
const callCount = async () => callsIn(await readRecords(product, admin.organizationId)).length;

test.each(Object.entries(changes))(
  '%s happens once when conflicts, a time-out, throttling and a lost reply come before its success',
  async (_, { status, act, calls, events }) => {
    const others = await callCount();
    const call = await client.answered();
    const before = await eventCount();
    table.next(transaction, conflict, conflict, timedOut, throttled, conflict, replyLost);
    expect((await act(call)).status).toBe(status);
    expect(table.tries(transaction).length).toBeGreaterThanOrEqual(7);
    expect(await callCount()).toBe(others + calls);
    expect(await eventCount()).toBe(before + events);
    await expectConsistent(product, admin);
  },
);

test.each([
  ['times out', timedOut],
  ['is throttled', throttled],
  ['meets conflicts', conflict],
])(
  'A change that %s every time is a 503 with Retry-After, and leaves everything as it was',
  async (_, fault) => {
    const call = await client.answered();
    const before = await readRecords(product, admin.organizationId);
    table.always(transaction, fault);
    const responses = await Promise.all(Object.values(changes).map(({ act }) => act(call)));
    table.clear();
    for (const { status, body, headers } of responses) {
      expect({ status, body }).toEqual(callFailure(503, 'The service is busy. Try again shortly.'));
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(await readRecords(product, admin.organizationId)).toEqual(before);
  },
);
