import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { after as later, minute, second } from '../../shared/kernel/time.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { expectStatus, failure, outcome } from '../harness/tenants.ts';
import { type Configuration, leadsClient, newLead } from './leads-client.ts';
import { metricsClient } from './metrics-client.ts';

const product = await setUpProduct();
const leads = leadsClient(product, await product.newOrganization());
const configuration = await leads.configure({ secret: true });

const secretOf = ({ secret = '' }: Configuration) => secret;
const bodyOf = ({ _id }: Configuration, lead = newLead()) =>
  JSON.stringify({ configurationId: _id, ...lead, note: 'Zoë 👋' }, null, 2);

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
  const response = await deliver(body, headers, at);
  expect(outcome(response)).toEqual(failure(401, message));
  expect(response.headers['www-authenticate']).toBe('Bearer');
}

const unfit = 'No signature in webhook-signature matches this request.';

test('A lead for a configuration with a secret that the official library has signed is received', async () => {
  const body = bodyOf(configuration);
  expectStatus(await deliver(body, signed(body)), 200);
});

const countOf = async ({ _id }: Configuration) =>
  (await metricsClient(product, leads.admin).metrics({ configurationId: _id })).totals;

test('A lead for a configuration with a secret delivered again with the same webhook-id gets the same response, and counts once', async () => {
  const own = await leads.configure({ secret: true });
  const body = bodyOf(own);
  const id = randomUUID();
  const at = new Date();
  const sign = (more: Signing = {}) => signed(body, { secret: secretOf(own), id, ...more });
  const first = expectStatus(await deliver(body, sign()), 200);
  expect(expectStatus(await deliver(body, sign()), 200)).toEqual(first);
  const retried = later(at, 60 * minute);
  expect(expectStatus(await deliver(body, sign({ at: retried }), retried), 200)).toEqual(first);
  expect(await countOf(own)).toEqual({ leads: 1, newContacts: 1, duplicates: 0, applications: 0 });
});

test('A lead for a configuration with a secret delivered ten times at once with the same webhook-id counts once', async () => {
  const own = await leads.configure({ secret: true });
  const body = bodyOf(own);
  const headers = signed(body, { secret: secretOf(own) });
  const responses = await Promise.all(Array.from({ length: 10 }, () => deliver(body, headers)));
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await countOf(own)).toMatchObject({ leads: 1 });
});

test('A lead for a configuration with a secret that says something else counts again with another webhook-id, and so does the same id for another configuration', async () => {
  const [own, other] = [await leads.configure({ secret: true }), await leads.configure({ secret: true })];
  const id = randomUUID();
  const body = bodyOf(own);
  expectStatus(await deliver(body, signed(body, { secret: secretOf(own), id })), 200);
  const news = bodyOf(own);
  expectStatus(await deliver(news, signed(news, { secret: secretOf(own) })), 200);
  const elsewhere = bodyOf(other);
  expectStatus(await deliver(elsewhere, signed(elsewhere, { secret: secretOf(other), id })), 200);
  expect(await countOf(own)).toMatchObject({ leads: 2 });
  expect(await countOf(other)).toMatchObject({ leads: 1 });
});

test('A lead for a configuration with a secret whose body was altered after signing is 401, be it by a blank or the spelling of a letter', async () => {
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

test('A lead for a configuration with a secret that is refused makes no contact, and does not reveal whether the configuration is active', async () => {
  const inactive = await leads.configure({ secret: true, isActive: false });
  const body = bodyOf(inactive);
  await expectRefusal(body, signed(body, { secret: secretOf(configuration) }), unfit);
  expect((await deliver(body, signed(body, { secret: secretOf(inactive) }))).status).toBe(400);
  const { phoneNumber } = JSON.parse(body);
  const search = { token: leads.admin.token, body: { search: phoneNumber } };
  const board = expectStatus(await product.call('list-contacts-by-stage', search), 200).data;
  expect(Object.values<{ total: number }>(board).map(({ total }) => total)).toEqual([0, 0, 0, 0, 0]);
});

test('A lead for a configuration with a secret is checked with the secret of now: a rotated one ends the one before, a cleared one ends checking', async () => {
  const own = await leads.configure({ secret: true });
  const before = secretOf(own);
  const { secret } = expectStatus(await leads.change(own._id, { secret: true }), 200).data;
  const body = bodyOf(own);
  await expectRefusal(body, signed(body, { secret: before }), unfit);
  expect((await deliver(body, signed(body, { secret }))).status).toBe(200);
  expectStatus(await leads.change(own._id, { secret: null }), 200);
  expect((await deliver(body, {})).status).toBe(200);
});

test('A lead for a configuration without a secret needs no signature, and ignores a wrong one', async () => {
  const open = await leads.configure();
  const body = bodyOf(open);
  expect((await deliver(body, {})).status).toBe(200);
  expect((await deliver(body, signed(body))).status).toBe(200);
});
