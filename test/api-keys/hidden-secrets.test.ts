import { randomUUID } from 'node:crypto';
import { afterAll, expect, test, vi } from 'vitest';
import { rowsOfOrganization } from '../contacts/raw-table.ts';
import type { Call } from '../harness/call.ts';
import { readEvents } from '../harness/events.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus } from '../harness/tenants.ts';
import { closedUrl } from '../webhook-endpoints/endpoints.ts';

/** Whatever anything writes into the log: on the console, and the line of each call. */
const printed: string[] = [];
const spies = (['log', 'info', 'warn', 'error'] as const).map((method) =>
  vi.spyOn(console, method).mockImplementation((...said: unknown[]) => void printed.push(said.join(' '))),
);
afterAll(() => {
  for (const spy of spies) {
    spy.mockRestore();
  }
});

const product = await setUpProduct();

/** Calls an operation by an `Idempotency-Key`; its log line is kept. */
async function call(name: string, status: number, more: Call) {
  const response = await product.call(name, { headers: { 'idempotency-key': randomUUID() }, ...more });
  printed.push(JSON.stringify(response.consumed ?? {}));
  return expectStatus(response, status);
}

test('The secrets of API keys and webhook endpoints are in no row, event, log line, log entry or export', async () => {
  const admin = await product.newOrganization();
  const { token } = admin;
  const { key, data: made } = await call('create-api-key', 201, {
    token,
    body: { name: 'A', access: 'write' },
  });
  const { key: newer } = await call('rotate-api-key', 200, { token, path: { id: made._id }, body: {} });
  const body = { url: closedUrl, events: ['*'] };
  const { secret, data: endpoint } = await call('create-webhook-endpoint', 201, { token, body });
  const path = { id: endpoint._id };
  const { secret: rotated } = await call('rotate-webhook-secret', 200, { token, path, body: {} });
  const { data: contact } = await call('create-contact', 201, { token: key, body: { firstName: 'Ada' } });
  await call('update-contact', 200, { token: newer, path: { id: contact._id }, body: { lastName: 'Hall' } });
  await call('test-webhook-endpoint', 200, { token, path });
  await call('create-api-key', 403, { token: newer, body: { name: 'B', access: 'write' } });
  await call('read-me', 401, { token: `${key.slice(0, -1)}~` });

  const shown = await Promise.all([
    call('list-event-logs', 200, { token }),
    call('list-events', 200, { token, query: { since: new Date(Date.now() - 60_000).toISOString() } }),
    call('read-separation-data', 200, { token, path: { id: contact._id } }),
    call('list-webhook-deliveries', 200, { token, path }),
    readEvents(product, admin.organizationId),
    rowsOfOrganization(product, admin.organizationId),
  ]);
  const texts = [...printed, ...shown.map((one) => JSON.stringify(one))];

  expect(printed.join()).toContain('"operation":"create-contact"');
  expect(texts.join()).toContain(contact._id);
  for (const hidden of [key.slice(12), newer.slice(12), secret.slice(6), rotated.slice(6)]) {
    expect(texts.filter((text) => text.includes(hidden))).toEqual([]);
  }
});
