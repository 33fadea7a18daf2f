import { expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { setUpLiveHost } from './fixtures.ts';

const host = await setUpLiveHost();

test('On a running host a program begins to follow events, and reads in a timeline what happened meanwhile', async () => {
  const user = await host.newOrganization();
  const admin = await host.as(user);
  const { key } = await admin.createApiKey({ name: 'Follower', access: 'read', groups: ['Contacts'] });
  const program = await host.as(key as string);
  const place = await program.listEvents();
  expect(place).toMatchObject({ success: true, data: [], hasMore: false });

  const { data: contact } = await admin.createContact({ firstName: 'Ada' });
  await admin.moveContact({ id: contact._id }, { stage: 'Won' });
  const told = await eventually(async () => {
    const { data } = await program.listTimeline({ id: contact._id });
    return data.length === 2 && data;
  });
  expect(told).toMatchObject([
    { type: 'stage_changed', actor: { type: 'user', id: user.id } },
    { type: 'created', actor: { type: 'user', id: user.id } },
  ]);
  // They appear once they are half a minute old.
  expect(await program.listEvents({ after: place.nextAfter })).toMatchObject({ success: true });
});
