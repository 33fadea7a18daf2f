import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectStatus, outcome, startWorld, type World } from '../harness/world.ts';
import { officeOf, problem } from './office.ts';

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
      const answer = await officeOf(product, admin, named)(name, body);
      expect(outcome(answer), named).toEqual(notYours);
      expect(answer.consumed?.requests).toBe(0);
    }
  });

  test('answers a SUPERADMIN 404 {error: "Organization not found", details} for one that does not exist', async () => {
    for (const named of unknownIds) {
      const answer = await officeOf(world.product, world.superadmin, named)(name, body);
      expect(outcome(answer), named).toEqual(noSuch);
    }
  });

  test('lets the path decide for a SUPERADMIN, not the header, which must name an organization all the same', async () => {
    const { product, superadmin, admin, foreigner } = world;
    const named = (header: string) =>
      officeOf(product, superadmin, admin.organizationId, { 'x-organization-id': header })(name, body);
    const own = await officeOf(product, admin)(name, body);
    expect((await named(foreigner.organizationId)).body.data?._id).toBe(own.body.data?._id);
    expect((await named(foreigner.organizationId)).status).toBe(200);
    expect((await named('nowhere')).body.error).toBe('Organization not found');
  });
});

test('What a SUPERADMIN changes is changed in the organization of the path alone', async () => {
  const { product, superadmin, foreigner } = world;
  const other = await product.newOrganization();
  const abroad = officeOf(product, superadmin, other.organizationId, {
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
    const office = officeOf(product, person);
    expect((await office('read-business-hours')).body.data.timezone).toBe(timezone);
    expect((await office('read-missed-call-message')).body.missedCallMessage).toBe(missedCallMessage);
    expect((await office('read-session-settings')).body.data.idleTimeoutMinutes).toBe(minutes);
    expect((await office('read-organization')).body.data.registrationMode).toBe(mode);
  }
});

test.each(['head', 'rep'] as const)('A %s reads their own organization, and changes nothing', async (who) => {
  const office = officeOf(world.product, world[who]);
  for (const name of reads) {
    expect((await office(name)).status).toBe(200);
  }
  for (const [name, body] of Object.entries(writes)) {
    expect(outcome(await office(name, body))).toEqual(
      problem(403, 'Forbidden', 'This requires the role ADMIN or higher.'),
    );
  }
});

test('An organization is answered `{success: true, data}` with its name and registration mode', async () => {
  const { product, admin } = world;
  const { status, body } = await officeOf(product, admin)('read-organization');
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
