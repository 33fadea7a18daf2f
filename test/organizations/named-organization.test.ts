import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectStatus, outcome, startWorld, type World } from '../harness/world.ts';
import { organizationsClient, problem } from './client.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.product.stop());

const notYours = problem(403, 'Forbidden', 'The organization in the path is not your own.');
const noSuch = problem(404, 'Organization not found', 'No organization has the id in the path.');
const unknownIds = ['01JZZZZZZZZZZZZZZZZZZZZZZZ', 'nowhere', 'a#b', 'x'.repeat(200), '__proto__', '-'];

const reads = [
  'read-organization',
  'read-business-hours',
  'read-missed-call-message',
  'read-session-settings',
] as const;
const writes = {
  'update-business-hours': { timezone: 'Asia/Tokyo' },
  'update-missed-call-message': { missedCallMessage: 'Sorry' },
  'update-session-settings': { idleTimeoutMinutes: 45 },
  'update-registration-mode': { registrationMode: 'open' },
} as const;
const all = [...reads.map((name) => [name, undefined] as const), ...Object.entries(writes)];

describe.each(all)('%s', (name, body) => {
  test('refuses an ADMIN any other organization with 403, whether it exists or not, without a look-up', async () => {
    const { product, admin, foreigner } = world;
    for (const named of [foreigner.organizationId, ...unknownIds]) {
      const answer = await organizationsClient(product, admin, named)(name, body);
      expect(outcome(answer), named).toEqual(notYours);
      expect(answer.consumed?.requests).toBe(0);
    }
  });

  test('answers a SUPERADMIN 404 {error: "Organization not found", details} for one that does not exist', async () => {
    for (const named of unknownIds) {
      const answer = await organizationsClient(world.product, world.superadmin, named)(name, body);
      expect(outcome(answer), named).toEqual(noSuch);
    }
  });

  test('lets the path decide for a SUPERADMIN, not the header, which must name an organization all the same', async () => {
    const { product, superadmin, admin, foreigner } = world;
    const named = (header: string) =>
      organizationsClient(product, superadmin, admin.organizationId, { 'x-organization-id': header })(
        name,
        body,
      );
    const own = await organizationsClient(product, admin)(name, body);
    expect((await named(foreigner.organizationId)).body.data?._id).toBe(own.body.data?._id);
    expect((await named(foreigner.organizationId)).status).toBe(200);
    expect((await named('nowhere')).body.error).toBe('Organization not found');
  });
});

test('What a SUPERADMIN changes is changed in the organization of the path alone', async () => {
  const { product, superadmin, foreigner } = world;
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
  const client = organizationsClient(world.product, world[who]);
  for (const name of reads) {
    expect((await client(name)).status).toBe(200);
  }
  for (const [name, body] of Object.entries(writes)) {
    expect(outcome(await client(name, body))).toEqual(
      problem(403, 'Forbidden', 'This needs the role ADMIN or a higher one.'),
    );
  }
});

test('An organization is answered `{success: true, data}` with its name and registration mode', async () => {
  const { product, admin } = world;
  const { status, body } = await organizationsClient(product, admin)('read-organization');
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: true,
      data: {
        _id: admin.organizationId,
        name: "Test Person's organization",
        registrationMode: expect.stringMatching(/^(admin_only|open)$/),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    },
  });
});
