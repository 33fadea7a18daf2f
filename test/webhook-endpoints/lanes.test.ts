import { expect, test } from 'vitest';
import type { OutgoingPosts } from '../../shared/kernel/providers/outgoing-posts.ts';
import { after, minute } from '../../shared/kernel/time.ts';
import { workflowToggled } from '../live/live-product.ts';
import { closedUrl, newEndpoint } from './endpoints.ts';
import { setUpWebhookProduct } from './webhook-product.ts';

const webhooks = await setUpWebhookProduct();
const { product } = webhooks;

/** Addresses that answer at once, but for one, which never does. */
const outgoingPosts: OutgoingPosts = {
  check: async () => undefined,
  post: async ({ url }) =>
    url.endsWith('/silent')
      ? { error: 'timeout', milliseconds: 15_000 }
      : { status: 200, milliseconds: 5, response: '' },
};

test('Of 30 endpoints one that never answers waits in a lane of its own, and delays none with which it shared one', async () => {
  const admin = await product.newOrganization();
  const { id: silent } = await newEndpoint(product, admin, { url: `${closedUrl}/silent` });
  for (let endpoint = 1; endpoint < 30; endpoint += 1) {
    await newEndpoint(product, admin);
  }
  const begin = new Date();
  /** By lane: the endpoints to which an event is posted there, once it has reached them. */
  const lanesAt = async (at: Date) => {
    await webhooks.emit(admin, workflowToggled, at);
    const lines = await webhooks.post(at, { outgoingPosts: () => outgoingPosts });
    const posts = lines.filter((line) => line.posts === 1);
    expect(posts).toHaveLength(30);
    return Map.groupBy(posts, ({ group }) => group);
  };
  const matesAt = async (at: Date) =>
    [...(await lanesAt(at)).values()]
      .find((lane) => lane.some(({ endpointId }) => endpointId === silent))
      ?.filter(({ endpointId }) => endpointId !== silent);
  expect(await matesAt(begin)).toHaveLength(1);
  expect(await matesAt(after(begin, minute))).toEqual([]);
  expect(await matesAt(after(begin, 6 * minute))).toEqual([]);
  expect(await matesAt(after(begin, 15 * minute))).toEqual([]);
  const lanes = await lanesAt(after(begin, 26 * minute));
  expect(lanes.size).toBe(20);
});
