import { expect, test } from 'vitest';
import { setUpWorld } from '../harness/fixtures.ts';
import { expectStatus, outcome } from '../harness/world.ts';
import { organizationsClient, problem } from './client.ts';

const world = await setUpWorld();
const { product, superadmin, admin, foreigner } = world;

const notYours = problem(403, 'Forbidden', 'The organization in the path is not your own.');
const noSuch = problem(404, 'Organization not found', 'No organization has the id in the path.');
const unknownIds = ['01JZZZZZZZZZZZZZZZZZZZZZZZ', 'nowhere', 'a#b', 'x'.repeat(200), '__proto__', '-'];

const reads = [
  'read-organization',
  'read-business-hours',
  'read-missed-call-message',
  'read-opening',
  'read-session-settings',
] as const;
const writes = {
  'update-business-hours': { timezone: 'Asia/Tokyo' },
  'update-missed-call-message': { missedCallMessage: 'Sorry' },
  'update-missed-call-policy': { cooldownMinutes: 5 },
  'update-session-settings': { idleTimeoutMinutes: 45 },
  'update-organization': { helpMessage: '' },
  'update-registration-mode': { registrationMode: 'open' },
} as const;
const all = [...reads.map((name) => [name, undefined] as const), ...Object.entries(writes)];

test.each(all)(
  '%s refuses an ADMIN any other organization with 403, whether it exists or not, without a look-up',
  async (name, body) => {
    for (const named of [foreigner.organizationId, ...unknownIds]) {
      const response = await organizationsClient(product, admin, named)(name, body);
      expect(outcome(response), named).toEqual(notYours);
      expect(response.consumed?.requests).toBe(0);
    }
  },
);

test.each(all)(
  '%s is a 404 {error: "Organization not found", details} for a SUPERADMIN who names one that does not exist',
  async (name, body) => {
    for (const named of unknownIds) {
      const response = await organizationsClient(product, superadmin, named)(name, body);
      expect(outcome(response), named).toEqual(noSuch);
    }
  },
);

test.each(all)(
  '%s lets the path decide for a SUPERADMIN, not the header, which must name an organization all the same',
  async (name, body) => {
    const named = (header: string) =>
      organizationsClient(product, superadmin, admin.organizationId, { 'x-organization-id': header })(
        name,
        body,
      );
    const own = await organizationsClient(product, admin)(name, body);
    expect((await named(foreigner.organizationId)).body.data?._id).toBe(own.body.data?._id);
    expect((await named(foreigner.organizationId)).status).toBe(200);
    expect((await named('nowhere')).body.error).toBe('Organization not found');
  },
);

test('Changes by a SUPERADMIN affect only the organization in the path', async () => {
  const other = await product.newOrganization();
  const abroad = organizationsClient(product, superadmin, other.organizationId, {
    'x-organization-id': foreigner.organizationId,
  });
  for (const [name, body] of Object.entries(writes)) {
    expectStatus(await abroad(name, body), 200);
  }
  for (const [person, timezone, missedCallMessage, minutes, mode] of [
    [other, 'Asia/Tokyo', 'Sorry', 45, 'open'],
    [superadmin, 'UTC', '', 30, 'admin_only'],
    [foreigner, 'UTC', '', 30, 'admin_only'],
  ] as const) {
    const client = organizationsClient(product, person);
    expect((await client('read-business-hours')).body.data.timezone).toBe(timezone);
    expect((await client('read-missed-call-message')).body.missedCallMessage).toBe(missedCallMessage);
    expect((await client('read-session-settings')).body.data.idleTimeoutMinutes).toBe(minutes);
    expect((await client('read-organization')).body.data.registrationMode).toBe(mode);
  }
});

test.each(['head', 'rep'] as const)('A %s reads their own organization, and changes nothing', async (who) => {
  const client = organizationsClient(product, world[who]);
  for (const name of reads) {
    expect((await client(name)).status).toBe(200);
  }
  for (const [name, body] of Object.entries(writes)) {
    expect(outcome(await client(name, body))).toEqual(
      problem(403, 'Forbidden', 'This requires the role ADMIN or higher.'),
    );
  }
});

test('An organization is returned as `{success: true, data}` with its name and registration mode', async () => {
  expect(outcome(await organizationsClient(product, admin)('read-organization'))).toEqual({
    status: 200,
    body: {
      success: true,
      data: {
        _id: admin.organizationId,
        name: "Test Person's organization",
        helpMessage: '',
        registrationMode: expect.stringMatching(/^(admin_only|open)$/),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    },
  });
});
