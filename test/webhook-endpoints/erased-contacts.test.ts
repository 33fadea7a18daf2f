import { expect, test } from 'vitest';
import { eraseEvents } from '../../functions/contacts/model/erasure/erase-events.ts';
import { eventKeyFor } from '../../shared/events/outbox.ts';
import { noDeadline } from '../../shared/kernel/deadline.ts';
import type { Ports } from '../../shared/kernel/operation.ts';
import { newInvocation, systemRuntime } from '../../shared/kernel/serve/invocation.ts';
import { after, hour, minute, second } from '../../shared/kernel/time.ts';
import { finishErasures } from '../contacts/finish-erasures.ts';
import type { Person } from '../harness/product.ts';
import { tableStream } from '../harness/table-stream.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { workflowToggled } from '../live/live-product.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { newEndpoint } from './endpoints.ts';
import { recordPosts } from './recorded-posts.ts';
import { setUpWebhookProduct } from './webhook-product.ts';

const webhooks = await setUpWebhookProduct();
const { product } = webhooks;
const stream = await tableStream(product);

/** An organization with an endpoint that fails and answers with what it was sent, and two contacts of which it was told. */
async function setUp() {
  const admin = await product.newOrganization();
  const posts = recordPosts(({ body }) => ({ status: 500, body }));
  const receiver = await startReceiver(posts.listener);
  const { id } = await newEndpoint(product, admin, { url: `http://127.0.0.1:${receiver.port}/hooks` });
  const newContact = async () => {
    const number = newPhoneNumber();
    const body = { firstName: 'Ada', lastName: 'Fair', phoneNumbers: [{ value: number }] };
    const { data } = expectStatus(await product.call('create-contact', { token: admin.token, body }), 201);
    return { contactId: data._id as string, digits: number.slice(1) };
  };
  const [erased, kept] = [await newContact(), await newContact()];
  const post = async () => {
    await stream.settle();
    await webhooks.work();
    await webhooks.post();
    await stream.settle();
  };
  await post();
  return {
    ...{ admin, id, erased, kept, post, received: posts.received },
    async remove() {
      expectStatus(
        await product.call('delete-contact', { token: admin.token, path: { id: erased.contactId } }),
        200,
      );
      await post();
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}

/** Runs the schedule that finishes erasures. */
const finish = (at: Date) => finishErasures(product, at);

/** When nothing that began before can write any more. */
const settled = () => after(new Date(), minute);

const textsWith = async (digits: string) => (await stream.texts()).filter((text) => text.includes(digits));

const journal = async ({ token }: Person, at: Date) =>
  expectStatus(
    await product.call('list-events', {
      ...{ token, at, query: { since: after(at, -hour).toISOString(), limit: '1000' } },
    }),
    200,
  ).data as { id: string; event: string; data: { contactId?: string } }[];

const eventsAbout = async (admin: Person, { contactId }: { contactId: string }) =>
  (await journal(admin, settled()))
    .filter(({ data }) => data.contactId === contactId)
    .map(({ event }) => event);

test('Within an hour nobody finds an event of a deleted contact, what was posted of it, or what came back, except that it was removed', async () => {
  await using one = await setUp();
  const { admin, id, erased, kept } = one;
  const [delivery] = (await webhooks.deliveries(admin, id, { event: 'contact_created' })).filter(
    ({ attempts }) => attempts[0].response.includes(erased.digits),
  );
  expect(delivery?.status).toBe('pending');

  await one.remove();
  expect((await textsWith(erased.digits)).length).toBeGreaterThan(1);
  await finish(settled());

  expect(await textsWith(erased.digits)).toEqual([]);
  expect(await eventsAbout(admin, erased)).toEqual(['contact_removed']);
  expect(await eventsAbout(admin, kept)).toEqual(['contact_created']);
  const deliveries = await webhooks.deliveries(admin, id);
  expect(deliveries.map(({ event }) => event).sort()).toEqual(['contact_created', 'contact_removed']);
  const replayed = await product.call('replay-webhook-delivery', {
    ...{ token: admin.token, path: { id: delivery?._id } },
  });
  expect(replayed.status).toBe(404);

  one.received.length = 0;
  await webhooks.retry(after(new Date(), 10 * second));
  const range = { from: after(new Date(), -hour).toISOString(), to: settled().toISOString() };
  const replay = { token: admin.token, path: { id }, body: { ...range, events: ['contact_created'] } };
  expect(expectStatus(await product.call('replay-webhook-events', replay), 202).data.count).toBe(1);
  await webhooks.post();
  expect(one.received.length).toBeGreaterThan(1);
  expect(one.received.filter(({ body }) => body.includes(erased.digits))).toEqual([]);
});

test('A run that comes too early for events of requests that are under way leaves them to the next run', async () => {
  await using one = await setUp();
  await one.remove();
  await finish(new Date());
  const late = await webhooks.happen(one.admin.organizationId, {
    ...{ event: 'note_created', audience: { kind: 'organization' } },
    data: {
      ...{ noteId: '-', contactId: one.erased.contactId, userId: one.admin.userId, mentions: [] },
      note: `Call ${one.erased.digits}`,
    },
  });
  await finish(settled());
  expect(await textsWith(one.erased.digits)).toEqual([]);
  expect((await journal(one.admin, settled())).map((event) => event.id)).not.toContain(late);
});

test('A run whose time is up leaves the rest to the next one', async () => {
  await using one = await setUp();
  await one.remove();
  const { ports } = newInvocation(systemRuntime, product.providers);
  const used = ports({ platform: 'write', organizations: 'write' }, undefined) as Ports<{
    platform: 'write';
    organizations: 'write';
  }>;
  let looks = 0;
  /** Enough time to begin, and none for a second batch. */
  const short = {
    left: () => {
      looks += 1;
      return looks === 1 ? minute : 0;
    },
  };
  for (const deadline of [{ left: () => 0 }, short]) {
    await eraseEvents(used, settled(), deadline);
  }
  await eraseEvents(used, settled(), noDeadline);
  expect(looks).toBeGreaterThan(1);
  expect(await textsWith(one.erased.digits)).toEqual([]);
  expect(await eraseEvents(used, settled(), noDeadline)).toEqual({ events: 0 });
});

test('A replay that ends after the event was erased leaves nothing of what came back', async () => {
  const admin = await product.newOrganization();
  const { table } = product.tableOf(admin.organizationId);
  const eventId = await webhooks.happen(admin.organizationId, workflowToggled);
  let posts = 0;
  await using receiver = await startReceiver(async (_, response) => {
    await table.deleteMany([eventKeyFor(eventId)]);
    posts += 1;
    response.end('what came back');
  });
  const { id } = await newEndpoint(product, admin, { url: `http://127.0.0.1:${receiver.port}/hooks` });
  const body = { from: after(new Date(), -hour).toISOString(), to: settled().toISOString() };
  const replay = { token: admin.token, path: { id }, body };
  expect(expectStatus(await product.call('replay-webhook-events', replay), 202).data.count).toBe(1);
  await webhooks.post();
  expect(posts).toBe(1);
  expect(await webhooks.deliveries(admin, id)).toEqual([]);
});
