import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { setUpLiveHost } from '../live/fixtures.ts';

const host = await setUpLiveHost();

test('On a local host, an event reaches the inbox of webhooks, signed, which shows it as JSON and as a page', async () => {
  const admin = await host.newOrganization();
  const inbox = `${host.url}/_webhook-inbox`;
  const { data, secret } = await host.call('POST /api/webhook-endpoints', admin, {
    url: inbox,
    events: ['contact_created'],
  });
  const contact = await host.call('POST /api/contacts/create', admin, { firstName: '<b>Ada</b>' });
  const post = await eventually(async () => {
    const { data: posts } = (await (await fetch(inbox)).json()) as {
      data: { headers: Record<string, string>; body: string }[];
    };
    return posts.find(({ body }) => body.includes(contact.data._id));
  });
  expect(new Webhook(secret).verify(post.body, post.headers)).toMatchObject({
    event: 'contact_created',
    organizationId: admin.organizationId,
    actor: { type: 'user' },
  });
  const opened = { accept: 'text/html', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' };
  const page = await (await fetch(inbox, { headers: opened })).text();
  expect(page).toContain(contact.data._id);
  expect(page).not.toContain('<b>');
  const fromPage = await fetch(inbox, { method: 'POST', headers: { origin: 'https://evil.example' } });
  expect(fromPage.status).toBe(404);
  for (const site of ['cross-site', 'same-site']) {
    const elsewhere = await fetch(inbox, { headers: { ...opened, 'sec-fetch-site': site } });
    expect(elsewhere.status).toBe(404);
  }
  const path = `GET /api/webhook-endpoints/${data._id}/deliveries`;
  const delivered = await eventually(async () => {
    const [first] = (await host.call(path, admin)).data;
    return first?.status === 'delivered' && first;
  });
  expect(delivered).toMatchObject({ event: 'contact_created', attempts: [{ status: 204 }] });
});
