import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { type Message, messageKey } from '../../shared/conversations/conversation.ts';
import { childId } from '../../shared/kernel/child-id.ts';
import { minute, after as plus, second, timestamp } from '../../shared/kernel/time.ts';
import { arrange, everyPage, expectStatus } from '../harness/tenants.ts';
import { newWebhookClient } from '../messages/webhook-client.ts';
import { changeAt, type Entry, noteAt, setUpTimelines } from './timelines.ts';

const { product, stream, newPeople, write } = await setUpTimelines();
const now = new Date();

test('Each page of a contact with 10,000 entries takes at most 3 trips, and the pages have each entry once', async () => {
  const { admin, alan, id, phone, list } = await newPeople();
  const webhook = await newWebhookClient(product, admin, alan);
  await arrange(webhook.text({ From: phone, Body: 'First' }));
  await stream.settle();
  const [first] = expectStatus(await list({ types: 'message' }), 200).data as Entry[];
  const conversationId = first?.refs.conversationId ?? '';
  const messageAt = (at: Date) => {
    const _id = childId(id, ulid(at.getTime()));
    const data = {
      ...{ _id, conversationId, contactId: id, direction: 'inbound', content: 'Hello', attachments: [] },
      ...{
        channel: 'sms',
        status: 'received',
        sentBy: null,
        providerMessageId: null,
        createdAt: timestamp(at),
      },
    } satisfies Message;
    return { key: messageKey(conversationId, _id), data };
  };
  const rows = Array.from({ length: 10_000 }, (_, index) => {
    const at = plus(now, -(index + 1) * minute);
    return [changeAt, noteAt].at(index % 3)?.(id, at) ?? messageAt(at);
  });
  await write(admin.organizationId, rows);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const response = await list({ limit: '100', ...(cursor && { cursor }) });
    expect(response.consumed?.roundTrips).toBeLessThanOrEqual(3);
    expect(response.consumed?.requests).toBeLessThanOrEqual(14);
    const page = expectStatus(response, 200);
    expect(page.data.length).toBeLessThanOrEqual(100);
    seen.push(...page.data.map(({ _id }: Entry) => _id));
    cursor = page.nextCursor;
  }
  const written = rows.map(({ data }) => data._id);
  expect(seen).toHaveLength(new Set(seen).size);
  expect(seen.filter((one) => written.includes(one))).toEqual(written);
  expect(seen).toHaveLength(10_002);
});

test('Pages have each entry once while new ones come in', async () => {
  const { admin, alan, id, list } = await newPeople();
  await stream.settle();
  const rows = Array.from({ length: 60 }, (_, index) =>
    (index % 2 ? noteAt : changeAt)(id, plus(now, -(index + 1) * minute)),
  );
  await write(admin.organizationId, rows);
  let pages = 0;
  const seen = await everyPage<Entry>(async (query) => {
    const page = await list({ ...query, limit: '7' }, alan);
    pages += 1;
    // On top, and with the very time of what is there.
    await write(admin.organizationId, [
      noteAt(id, plus(now, pages * second)),
      changeAt(id, plus(now, pages)),
    ]);
    return page;
  });
  const ids = seen.map(({ _id }) => _id);
  expect(ids.filter((one) => rows.some(({ data }) => data._id === one))).toEqual(
    rows.map(({ data }) => data._id),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('A type that is rare among many changes is found by following the cursor, in bounded pages', async () => {
  const { admin, id, list } = await newPeople();
  await stream.settle();
  const rows = Array.from({ length: 1_200 }, (_, index) =>
    changeAt(id, plus(now, -(index + 1) * minute), index === 1_100 ? 'consent' : 'created'),
  );
  await write(admin.organizationId, rows);
  const found = await everyPage<Entry>(async (query) => {
    const page = await list({ ...query, types: 'consent' });
    expect(page.consumed?.roundTrips).toBeLessThanOrEqual(3);
    return page;
  });
  expect(found.map(({ _id }) => _id)).toEqual([rows[1_100]?.data._id]);
});
