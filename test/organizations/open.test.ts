import { beforeAll, expect, test } from 'vitest';
import { day } from '../../shared/kernel/time.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, outcome } from '../harness/tenants.ts';
import { organizationsClient, problem } from './client.ts';

const { product, admin, otherRep } = await setUpTenants();
const path = { organizationId: admin.organizationId };

const ask = (query: Record<string, string>) =>
  product.call('read-opening', { token: otherRep.token, path, query });

const hours = {
  timezone: 'Europe/Berlin',
  businessHours: { thursday: { enabled: true, start: '09:00', end: '17:00' } },
  holidays: [{ date: '2026-12-24', label: 'Christmas Eve' }],
  exceptionalHours: [{ date: '2026-12-31', closed: false, start: '20:00', end: '02:00', label: '' }],
};

beforeAll(async () => {
  const before = outcome(await ask({}));
  expect(before).toEqual({ status: 200, body: { success: true, data: { open: true, because: 'none' } } });
  expectStatus(await organizationsClient(product, admin)('update-business-hours', hours), 200);
});

test.each([
  ['2026-12-17T08:00:00Z', { open: true, because: 'week', closesAt: '2026-12-17T16:00:00.000Z' }],
  ['2026-12-17', { open: false, because: 'week', opensAt: '2026-12-17T08:00:00.000Z' }],
  ['2026-12-17T17:00', { open: false, because: 'week', opensAt: '2026-12-31T19:00:00.000Z' }],
  // A query in which the + was not encoded.
  ['2026-12-17T10:00:00 02:00', { open: true, because: 'week', closesAt: '2026-12-17T16:00:00.000Z' }],
  ['2026-12-24T10:00:00Z', { open: false, because: 'holiday', opensAt: '2026-12-31T19:00:00.000Z' }],
  ['2026-12-31T10:00:00Z', { open: false, because: 'exceptional', opensAt: '2026-12-31T19:00:00.000Z' }],
  ['2027-01-01T00:59:59.999Z', { open: true, because: 'exceptional', closesAt: '2027-01-01T01:00:00.000Z' }],
])('Every user may ask whether the organization is open at %s', async (at, data) => {
  expect(outcome(await ask({ at }))).toEqual({ status: 200, body: { success: true, data } });
});

test('Without a time, the response is about now', async () => {
  const other = await product.newOrganization();
  const client = organizationsClient(product, other);
  const open = async (body: object) => {
    await arrange(client('update-business-hours', body));
    return expectStatus(await client('read-opening'), 200).data.open;
  };
  const allDay = { closed: false, start: '00:00', end: '00:00', label: '' };
  const exceptionalHours = [-1, 0, 1].map((days) => ({
    ...{ date: new Date(Date.now() + days * day).toISOString().slice(0, 10) },
    ...allDay,
  }));
  expect(await open({ businessHours: {} })).toBe(false);
  expect(await open({ exceptionalHours })).toBe(true);
});

test.each([
  ['yesterday', 'at must be an ISO 8601 date or date-time'],
  ['2026-02-30', 'at must be an ISO 8601 date or date-time'],
  ['1969-12-31T23:59:59Z', 'at must not be before 1970'],
])('“%s” is no time to ask about', async (at, details) => {
  expect(outcome(await ask({ at }))).toEqual(problem(400, 'Invalid request', details));
});

test('The first and the last possible day work, too', async () => {
  const exceptionalHours = [
    { date: '9999-12-31', closed: false, start: '22:00', end: '06:00', label: '' },
    { date: '1970-01-01', closed: false, start: '22:00', end: '06:00', label: '' },
  ];
  const other = await product.newOrganization();
  const client = organizationsClient(product, other);
  expectStatus(await client('update-business-hours', { businessHours: {}, exceptionalHours }), 200);
  const answer = (at: string) =>
    product.call('read-opening', {
      token: other.token,
      path: { organizationId: other.organizationId },
      query: { at },
    });
  expect((await answer('9999-12-31T23:59:59.999Z')).body.data).toEqual({
    open: true,
    because: 'exceptional',
    closesAt: '9999-12-31T23:59:59.999Z',
  });
  expect((await answer('1970-01-01')).body.data.opensAt).toBe('1970-01-01T22:00:00.000Z');
});
