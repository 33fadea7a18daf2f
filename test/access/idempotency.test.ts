import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import type { StoredEvent } from '../../shared/events/outbox.ts';
import { after, minute } from '../../shared/kernel/time.ts';
import { takesKey } from '../../shared/kernel/uses.ts';
import { pause } from '../../shared/table/backoff.ts';
import type { ApiResponse, Call } from '../harness/call.ts';
import { eventReader } from '../harness/events.ts';
import { setUpFaultyTable, setUpTenants } from '../harness/fixtures.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { endpointFor } from '../webhook-endpoints/endpoints.ts';
import { recordPosts } from '../webhook-endpoints/recorded-posts.ts';
import { endAfterWrites } from './ended-process.ts';
import { caseSender, operationsWithCases } from './operations.ts';

/** Whatever a caller changes happens once, and has one response, however many equal requests with one key arrive at once. */

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const newEvents = eventReader(product, admin.organizationId);
const faults = setUpFaultyTable();
afterEach(() => faults.clear());
const together = 50;

const posts = recordPosts(() => ({ status: 200 }));
const receiver = await startReceiver(posts.listener);
afterAll(() => receiver[Symbol.asyncDispose]());
await endpointFor(product, admin, { url: `http://127.0.0.1:${receiver.port}/` });

const writing = (await operationsWithCases()).filter(({ operation }) => takesKey(operation));
type Writing = (typeof writing)[number];

const newCall = async ({ accessCase }: Writing) => ({
  ...caseSender(tenants, accessCase),
  ...(await accessCase.request(tenants, rep)),
});

const withKey = (call: Call): Call => ({
  ...call,
  headers: { ...call.headers, 'idempotency-key': randomUUID() },
});

/** What requests have left behind since the last time: the names of their events, and what they sent and posted. */
async function newEffects(): Promise<{ events: string[]; sent: string[] }> {
  const sent = Object.entries(product.queues).flatMap(([name, queue]) => {
    const bodies = queue.take().map(({ body }) => body);
    return name === 'webhookPosts' ? replaysIn(bodies) : bodies;
  });
  const posted = posts.received.splice(0).map(({ headers }) => headers['webhook-id'] ?? '');
  return { events: namesOf(await newEvents()), sent: [...sent, ...posted] };
}

/** A replay is one, however many messages it takes. */
const replaysIn = (bodies: readonly string[]): string[] => [
  ...new Set(bodies.map((body) => JSON.parse(body).replay)),
];

/** What a request without a key leaves behind, when it is not the first of its kind. */
async function usualEffects(one: Writing) {
  const call = await newCall(one);
  await newEffects();
  await product.call(one.name, call);
  return newEffects();
}

const namesOf = (events: readonly StoredEvent[]) => events.map(({ event }) => event).sort();

/** Sends a request again as long as an equal one is running. */
async function sendInTurn(name: string, call: Call): Promise<ApiResponse> {
  const response = await product.call(name, call);
  if (response.status !== 409 || response.headers['retry-after'] === undefined) {
    return response;
  }
  await pause(5);
  return sendInTurn(name, call);
}

test.each(writing)('$name: equal requests with one key have one effect and one response', async (one) => {
  const { name, operation, accessCase } = one;
  await product.call(name, await newCall(one));
  const call = withKey(await newCall(one));
  await newEffects();
  const responses = await Promise.all(Array.from({ length: together }, () => sendInTurn(name, call)));
  const { events, sent } = await newEffects();
  const status = accessCase.status ?? operation.status ?? 200;
  expect(responses.map((response) => response.status)).toEqual(responses.map(() => status));
  const [first, ...others] = responses.filter(({ headers }) => headers['idempotent-replayed'] === undefined);
  expect(others).toEqual([]);
  const repeated = responses.filter((response) => response !== first);
  const texts = new Set(repeated.map(({ text }) => text));
  expect(texts.size).toBe(1);
  expect([...texts].join().includes('"secretShown":true') || texts.has(first?.text ?? '')).toBe(true);
  const usual = await usualEffects(one);
  expect(events).toEqual(usual.events);
  expect(sent).toHaveLength(usual.sent.length);
});

test.each([1, 2, 3].flatMap((count) => writing.map((one) => ({ ...one, count }))))(
  '$name: a request whose process ended after $count writes, and that is sent again, has one effect',
  async ({ count, ...one }) => {
    const { name, operation, accessCase } = one;
    await product.call(name, await newCall(one));
    const call = withKey(await newCall(one));
    await newEffects();
    const said = vi.spyOn(console, 'error').mockReturnValue(undefined);
    endAfterWrites(faults, count);
    await product.call(name, call);
    faults.clear();
    said.mockRestore();
    const again = await product.call(name, { ...call, at: after(new Date(), 2 * minute) });
    expect(again.status).toBe(accessCase.status ?? operation.status ?? 200);
    const { events, sent } = await newEffects();
    const usual = await usualEffects(one);
    expect(events).toEqual(usual.events);
    // What was sent before the process ended is sent again, as the same message: whoever takes it knows it.
    expect(new Set(sent).size).toBe(usual.sent.length);
  },
);
