import { beforeEach, expect, test } from 'vitest';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, countStatuses } from '../harness/tenants.ts';

const product = await setUpProduct();
const superadmin = await product.newSuperadmin();
let admin: Person;
beforeEach(async () => {
  admin = await product.newOrganization();
});

const put = (operation: string, body: object, { token } = admin) =>
  product.call(operation, { token, path: { organizationId: admin.organizationId }, body });
const events = async () =>
  (await readEvents(product, admin.organizationId)).filter(({ event }) => event === 'organization_updated');

/** What each operation changes, in the words of its event. */
const changes = [
  ['update-organization', 'organization', { name: 'Bluebird' }, ['name']],
  ['update-organization', 'organization', { helpMessage: 'Call us.' }, ['helpMessage']],
  ['update-registration-mode', 'organization', { registrationMode: 'open' }, ['registrationMode']],
  ['update-session-settings', 'session_settings', { idleTimeoutMinutes: 60 }, ['idleTimeoutMinutes']],
  ['update-session-settings', 'session_settings', { factorRequiredFor: 'admins' }, ['factorRequiredFor']],
  ['update-business-hours', 'business_hours', { timezone: 'Europe/Berlin', holidays: [] }, ['timezone']],
  ['update-missed-call-message', 'missed_call_message', { missedCallMessage: 'Hi' }, ['missedCallMessage']],
  ['update-missed-call-policy', 'missed_call_policy', { remind: true, notify: true }, ['remind']],
  ['update-text-settings', 'text_settings', { dailyLimit: 7 }, ['dailyLimit']],
] as const;

test.each(changes)(
  'A change of settings by %s is sent to all members of the organization (%s)',
  async (operation, settings, body, changed) => {
    await arrange(put(operation, body, superadmin));
    expect(await events()).toMatchObject([
      {
        data: { organizationId: admin.organizationId, settings, changed },
        audience: { kind: 'organization' },
      },
    ]);
    expect(Object.keys((await events())[0]?.data ?? {})).toEqual(['organizationId', 'settings', 'changed']);
  },
);

test('Changes by 10 people at once send as many events as settings change', async () => {
  const zones = ['Europe/Berlin', 'Europe/Paris', 'Asia/Kolkata', 'Asia/Tokyo', 'America/New_York'];
  const responses = await Promise.all(
    [...zones, ...zones].map((timezone) => put('update-business-hours', { timezone })),
  );
  expect(countStatuses(responses)).toEqual({ 200: 10 });
  const told = (await events()).length;
  expect(told).toBeGreaterThanOrEqual(zones.length);
  expect(told).toBeLessThanOrEqual(10);
});
