import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { organizationsClient } from './client.ts';

const tenants = await setUpTenants();
const { product, superadmin, foreignAdmin } = tenants;

const writes = {
  'update-business-hours': { timezone: 'Asia/Tokyo' },
  'update-missed-call-message': { missedCallMessage: 'Sorry' },
  'update-missed-call-policy': { cooldownMinutes: 5 },
  'update-session-settings': { idleTimeoutMinutes: 45 },
  'update-organization': { helpMessage: '' },
  'update-registration-mode': { registrationMode: 'open' },
} as const;
test('Changes by a SUPERADMIN affect only the organization in the path', async () => {
  const other = await product.newOrganization();
  const abroad = organizationsClient(product, superadmin, other.organizationId, {
    'x-organization-id': foreignAdmin.organizationId,
  });
  for (const [name, body] of Object.entries(writes)) {
    expectStatus(await abroad(name, body), 200);
  }
  for (const [person, timezone, missedCallMessage, minutes, mode] of [
    [other, 'Asia/Tokyo', 'Sorry', 45, 'open'],
    [superadmin, 'UTC', '', 30, 'admin_only'],
    [foreignAdmin, 'UTC', '', 30, 'admin_only'],
  ] as const) {
    const client = organizationsClient(product, person);
    expect((await client('read-business-hours')).body.data.timezone).toBe(timezone);
    expect((await client('read-missed-call-message')).body.missedCallMessage).toBe(missedCallMessage);
    expect((await client('read-session-settings')).body.data.idleTimeoutMinutes).toBe(minutes);
    expect((await client('read-organization')).body.data.registrationMode).toBe(mode);
  }
});
