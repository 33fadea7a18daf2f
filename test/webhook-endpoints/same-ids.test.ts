import { expect, test } from 'vitest';
import { after, minute } from '../../shared/kernel/time.ts';
import { expectStatus } from '../harness/tenants.ts';
import { workflowToggled } from '../live/live-product.ts';
import { startReceiver } from '../outgoing-posts/receiver.ts';
import { newEndpoint } from './endpoints.ts';
import { recordPosts } from './recorded-posts.ts';
import { setUpWebhookProduct } from './webhook-product.ts';

const webhooks = await setUpWebhookProduct();
const { product } = webhooks;

test('A socket, the journal and a webhook have the same events of a time, with the same ids and in the same words', async () => {
  const admin = await product.newOrganization();
  const posts = recordPosts(() => ({ status: 200 }));
  await using receiver = await startReceiver(posts.listener);
  await newEndpoint(product, admin, { url: `http://127.0.0.1:${receiver.port}/` });
  const { id: connection } = await webhooks.connect(admin.socketToken);
  const since = new Date().toISOString();
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    ids.push(await webhooks.emit(admin, workflowToggled));
  }
  await webhooks.post();

  const at = after(new Date(), minute);
  const { token, organizationId } = admin;
  const journal = expectStatus(await product.call('list-events', { token, at, query: { since } }), 200).data;
  const posted = posts.received
    .map(({ body, headers }) => ({ id: headers['webhook-id'], frame: JSON.parse(body) }))
    .toSorted((one, other) => (String(one.id) < String(other.id) ? -1 : 1));

  expect(journal.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(webhooks.sockets.received(connection)).toEqual(journal);
  expect(posted).toEqual(
    journal.map((frame: { id: string }) => ({ id: frame.id, frame: { ...frame, organizationId } })),
  );
});
