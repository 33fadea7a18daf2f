import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { setUpLiveHost } from './fixtures.ts';
import type { User } from './live-host.ts';

const host = await setUpLiveHost();

test('On a running host a program begins to follow events, and reads in a timeline what happened meanwhile', async () => {
  const admin = await host.newOrganization();
  const body = { name: 'Follower', access: 'read', groups: ['Contacts'] };
  const program: User = { ...admin, token: (await host.call('POST /api/api-keys', admin, body)).key };
  const place = await host.call('GET /api/events', program);
  expect(place).toMatchObject({ success: true, data: [], hasMore: false });

  const { data: contact } = await host.call('POST /api/contacts/create', admin, { firstName: 'Ada' });
  await host.call(`PUT /api/contacts/${contact._id}/stage`, admin, { stage: 'Won' });
  const told = await eventually(async () => {
    const { data } = await host.call(`GET /api/contacts/${contact._id}/timeline`, program);
    return data.length === 2 && data;
  });
  expect(told).toMatchObject([
    { type: 'stage_changed', actor: { type: 'user', id: admin.id } },
    { type: 'created', actor: { type: 'user', id: admin.id } },
  ]);
  // They appear once they are half a minute old.
  expect(await host.call(`GET /api/events?after=${place.nextAfter}`, program)).toMatchObject({
    success: true,
  });
});
