import { expect, test } from 'vitest';
import { seed } from '../../infra/seed/seed.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, everyPage } from '../harness/world.ts';
import { organizationsClient } from '../organizations/client.ts';
import { preparedDemo } from '../seed/prepared-demo.ts';
import { type CallRecord, callsClient } from './client.ts';
import { expectLinked, placesOf } from './consistency.ts';

const password = 'switchboard-demo';
const product = await setUpProduct();
const dynamodbEndpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
const prepared = await preparedDemo();
await seed({ dynamodbEndpoint, tableName: product.tableName, demo: true, password, prepared });

async function signedIn(who: string): Promise<Person> {
  const { body } = await product.call('login', { body: { email: `${who}@example.com`, password } });
  return { ...body, userId: body.user.id, organizationId: body.user.organizationId };
}

test.each(['rep', 'head', 'admin'])('The demo %s sees calls that ended in several ways', async (who) => {
  const { body } = await callsClient(product, await signedIn(who)).list({ limit: '100' });
  const calls: CallRecord[] = body.data;
  expect(calls.length).toBeGreaterThan(10);
  expect(new Set(calls.map(({ status }) => status)).size).toBeGreaterThan(2);
  expect(new Set(calls.map(({ direction }) => direction)).size).toBe(2);
  for (const { startTime, endTime, duration } of calls.filter(({ endTime }) => endTime !== undefined)) {
    expect(duration).toBe((Date.parse(endTime ?? '') - Date.parse(startTime)) / 1_000);
    expect(Date.parse(endTime ?? '')).toBeLessThan(Date.now());
  }
});

test('The demo rep, head and admin have made calls', async () => {
  for (const who of ['rep', 'head', 'admin']) {
    const person = await signedIn(who);
    const { body } = await callsClient(product, person).list({ userId: person.userId });
    expect([who, body.data.length > 0]).toEqual([who, true]);
  }
});

test('The demo organization has hours, a message and a policy for missed calls, and missed calls that tell what followed', async () => {
  const admin = await signedIn('admin');
  const ask = organizationsClient(product, admin);
  const hours = (await arrange(ask('read-business-hours'))).data;
  expect(Object.keys(hours.businessHours).length).toBeGreaterThan(4);
  expect([hours.holidays.length, hours.exceptionalHours.length].every((length) => length > 0)).toBe(true);
  const path = { organizationId: admin.organizationId };
  const query = { at: `${prepared.now.getUTCFullYear() + 1}-01-01T17:00:00Z` };
  const { data } = await arrange(product.call('read-opening', { token: admin.token, path, query }));
  expect(data).toMatchObject({ open: false, because: 'holiday', opensAt: expect.any(String) });
  expect((await ask('read-missed-call-message')).body).toMatchObject({
    missedCallMessage: expect.stringContaining('{{contactName}}'),
    missedCallAutoMessageEnabled: true,
  });
  expect((await arrange(ask('read-missed-call-policy'))).data).toMatchObject({ otherwise: 'at_opening' });
  const calls: CallRecord[] = await everyPage((query) => callsClient(product, admin).list(query), {
    limit: '100',
  });
  const missed = calls.filter(({ missedCall }) => missedCall !== undefined);
  expect(missed.length).toBeGreaterThan(0);
  expect(new Set(missed.map(({ missedCall }) => missedCall?.outcome))).toContain('sent');
});

test('Calls, conversations and contacts of the demo data hang together as the operations leave them', async () => {
  const { organizationId } = await signedIn('admin');
  expectLinked(await placesOf(product, organizationId));
});
