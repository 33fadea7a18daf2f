import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { takesKey } from '../../shared/kernel/uses.ts';
import { eventReader } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { caseSender, operationsWithCases } from './operations.ts';

/** Whatever a caller changes happens once, and has one response, however many equal requests with one key arrive at once. */

const tenants = await setUpTenants();
const { product, admin, rep } = tenants;
const newEvents = eventReader(product, admin.organizationId);
const together = 10;

const writing = (await operationsWithCases()).filter(({ operation }) => takesKey(operation));

test.each(writing)(
  '$name: equal requests with one key have one effect and one response',
  async ({ name, operation, accessCase }) => {
    const call = { ...caseSender(tenants, accessCase), ...(await accessCase.request(tenants, rep)) };
    const headers = { ...call.headers, 'idempotency-key': randomUUID() };

    async function send(): ReturnType<typeof product.call> {
      const response = await product.call(name, { ...call, headers });
      if (response.status !== 409 || response.headers['retry-after'] === undefined) {
        return response;
      }
      // One of the others is running.
      await new Promise((resolve) => setTimeout(resolve, 5));
      return send();
    }

    await newEvents();
    const responses = await Promise.all(Array.from({ length: together }, send));
    const events = await newEvents();
    expect(responses.map(({ status }) => status)).toEqual(
      responses.map(() => accessCase.status ?? operation.status ?? 200),
    );
    const first = responses.filter(({ headers: sent }) => sent['idempotent-replayed'] === undefined);
    expect(first).toHaveLength(1);
    const repeated = responses.filter((response) => !first.includes(response));
    expect(new Set(repeated.map(({ text }) => text)).size).toBe(1);
    if (!repeated[0]?.text.includes('secretShown')) {
      expect(repeated[0]?.text).toBe(first[0]?.text);
    }

    const again = { ...caseSender(tenants, accessCase), ...(await accessCase.request(tenants, rep)) };
    await newEvents();
    await product.call(name, again);
    const usual = await newEvents();
    expect(events.map(({ event }) => event).sort()).toEqual(usual.map(({ event }) => event).sort());
  },
);
