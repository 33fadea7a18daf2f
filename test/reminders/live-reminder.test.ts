import { afterAll, expect, test } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { startLiveHost } from '../live/live-host.ts';

const host = await startLiveHost();
afterAll(() => host.stop());

test('A reminder for a second ago reaches the open socket of its maker, and is listed as fired', async () => {
  const user = await host.newOrganization();
  const admin = await host.as(user);
  const { data: contact } = await admin.createContact({ firstName: 'Ada' });
  const socket = await host.open(user);
  const { data: reminder } = await admin.createReminder({
    contactId: contact._id,
    note: 'Call back',
    remindAt: new Date(Date.now() - 1_000).toISOString(),
  });
  expect(reminder.fired).toBe(false);

  host.startSchedules();

  const { data } = await socket.frame(({ event }) => event === 'notification_created');
  expect(data).toMatchObject({
    reminderId: reminder._id,
    notification: { type: 'reminder', title: 'Reminder: Ada', message: 'Call back', isRead: false },
  });
  const listed = await eventually(async () => {
    const { data } = await admin.listReminders();
    return data[0].fired && data;
  });
  expect(listed).toEqual([{ ...reminder, fired: true, updatedAt: expect.any(String) }]);
  expect((await admin.listNotifications()).data).toHaveLength(1);
  await socket.close();
});
