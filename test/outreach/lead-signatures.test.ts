import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newWebhookSecret } from '../../functions/outreach/model/standard-webhooks.ts';
import { after as later, minute, second } from '../../shared/kernel/time.ts';
import { type Product, startProduct } from '../harness/product.ts';
import { expectStatus } from '../harness/world.ts';
import { type Configuration, type LeadSource, leadSource, newLead } from './lead-source.ts';

let product: Product;
let source: LeadSource;
let configuration: Configuration;
beforeAll(async () => {
  product = await startProduct();
  source = leadSource(product, await product.newOrganization());
  configuration = await source.configure({ secret: true });
});
afterAll(() => product.stop());

const secretOf = ({ secret = '' }: Configuration) => secret;
const bodyOf = ({ _id }: Configuration) =>
  JSON.stringify({ configurationId: _id, ...newLead(), note: 'Zoë 👋' }, null, 2);

interface Signing {
  secret?: string;
  at?: Date;
  id?: string;
}

/** The headers that the official library makes for a delivery. */
function signed(
  body: string,
  { secret = secretOf(configuration), at = new Date(), id = randomUUID() }: Signing = {},
) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / second)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

const deliver = (body: string, headers: Record<string, string>, at = new Date()) =>
  product.call('receive-lead', { body, headers, at });

async function expectRefusal(body: string, headers: Record<string, string>, message: string, at?: Date) {
  const answer = await deliver(body, headers, at);
  expect({ status: answer.status, body: answer.body }).toEqual({
    status: 401,
    body: { success: false, message },
  });
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

const unfit = 'No signature in webhook-signature matches this request.';

describe('A lead for a configuration with a secret', () => {
  it('that the official library has signed is received', async () => {
    const body = bodyOf(configuration);
    expectStatus(await deliver(body, signed(body)), 200);
  });

  it('delivered again with the same webhook-id answers the same ids', async () => {
    const body = bodyOf(configuration);
    const headers = signed(body);
    const first = expectStatus(await deliver(body, headers), 200);
    expect(expectStatus(await deliver(body, headers), 200).data).toEqual(first.data);
  });

  it.each([
    [[], 'webhook-id, webhook-timestamp, webhook-signature'],
    [['webhook-timestamp', 'webhook-signature'], 'webhook-id'],
    [['webhook-id', 'webhook-signature'], 'webhook-timestamp'],
    [['webhook-id', 'webhook-timestamp'], 'webhook-signature'],
  ])('with no other headers than %j is 401 {success: false, message}', async (kept, missing) => {
    const body = bodyOf(configuration);
    const headers = Object.entries(signed(body)).filter(([name]) => kept.includes(name));
    await expectRefusal(
      body,
      Object.fromEntries(headers),
      `The request must be signed. Missing headers: ${missing}.`,
    );
  });

  it('signed with another secret is 401', async () => {
    const body = bodyOf(configuration);
    await expectRefusal(body, signed(body, { secret: newWebhookSecret(randomBytes) }), unfit);
    const other = await source.configure({ secret: true });
    await expectRefusal(body, signed(body, { secret: secretOf(other) }), unfit);
  });

  it('whose body was altered after signing is 401, be it by a blank or the spelling of a letter', async () => {
    const body = bodyOf(configuration);
    const headers = signed(body);
    for (const altered of [
      `${body} `,
      body.replace('Ada', 'Eve'),
      body.replace('ë', '\\u00eb'),
      JSON.stringify(JSON.parse(body)),
    ]) {
      await expectRefusal(altered, headers, unfit);
    }
  });

  it('is 401 more than 5 minutes before or after it was signed, and taken up to then', async () => {
    const at = new Date('2026-11-20T12:00:00Z');
    for (const [distance, status] of [
      [5 * minute, 200],
      [-5 * minute, 200],
      [5 * minute + second, 401],
      [-5 * minute - second, 401],
    ] as const) {
      const body = bodyOf(configuration);
      const answer = await deliver(body, signed(body, { at }), later(at, distance));
      expect(answer.status, String(distance)).toBe(status);
    }
    const body = bodyOf(configuration);
    const message = 'The header webhook-timestamp is more than 5 minutes from now.';
    await expectRefusal(body, signed(body, { at }), message, later(at, 6 * minute));
  });

  it('that is refused makes no contact, and does not tell whether the configuration is active', async () => {
    const inactive = await source.configure({ secret: true, isActive: false });
    const body = bodyOf(inactive);
    await expectRefusal(body, signed(body, { secret: secretOf(configuration) }), unfit);
    expect((await deliver(body, signed(body, { secret: secretOf(inactive) }))).status).toBe(400);
    const { phoneNumber } = JSON.parse(body);
    const search = { token: source.admin.token, body: { search: phoneNumber } };
    const board = expectStatus(await product.call('list-contacts-by-stage', search), 200).data;
    expect(Object.values<{ total: number }>(board).map(({ total }) => total)).toEqual([0, 0, 0, 0, 0]);
  });

  it('is checked with the secret of now: a rotated one ends the one before, a cleared one ends checking', async () => {
    const own = await source.configure({ secret: true });
    const before = secretOf(own);
    const { secret } = expectStatus(await source.change(own._id, { secret: true }), 200).data;
    const body = bodyOf(own);
    await expectRefusal(body, signed(body, { secret: before }), unfit);
    expect((await deliver(body, signed(body, { secret }))).status).toBe(200);
    expectStatus(await source.change(own._id, { secret: null }), 200);
    expect((await deliver(body, {})).status).toBe(200);
  });
});

describe('A lead for a configuration without a secret', () => {
  it('needs no signature, and ignores a wrong one', async () => {
    const open = await source.configure();
    const body = bodyOf(open);
    expect((await deliver(body, {})).status).toBe(200);
    expect((await deliver(body, signed(body))).status).toBe(200);
  });
});
