import { randomBytes } from 'node:crypto';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, test, vi } from 'vitest';
import { configurationKey } from '../../functions/outreach/model/configuration.ts';
import { startSecrets } from '../../infra/local/secrets.ts';
import { type SecretLocation, secretSealer } from '../../shared/kernel/secrets/sealed-secrets.ts';
import { newWebhookSecret } from '../../shared/kernel/secrets/webhook-secret.ts';
import { numberOwnerKey } from '../../shared/organizations/phone-assignments.ts';
import { provideSecretSealer } from '../../shared/ports/secrets.ts';
import { identityTable } from '../auth/records.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { domainName } from '../harness/gateway.ts';
import { expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { signedBy, signFields } from '../messages/twilio-signing.ts';
import { newSid, newWebhookClient, type WebhookClient } from '../messages/webhook-client.ts';
import { leadsClient } from '../outreach/leads-client.ts';
import { readRows } from '../seed/table.ts';

const { product, admin, rep, superadmin, foreignAdmin } = await setUpTenants();
const identity = identityTable(product);
const url = `https://${domainName}/api/webhook/smsprovider/sms`;

const newSecret = () => randomBytes(16).toString('hex');

/** Everything in the table, as text. */
const table = async () =>
  JSON.stringify(await readRows(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', product.tableName));

/** The status of a text that the provider signs with this secret. */
async function textSigned(webhook: WebhookClient, secret: string, body = 'Hi') {
  const fields = { MessageSid: newSid(), From: newPhoneNumber(), To: webhook.phoneNumber, Body: body };
  return (await webhook.textAsForm(fields, signedBy(signFields(secret, url, fields)))).status;
}

const ofNumber = ({ phoneNumber }: WebhookClient) => ({
  token: admin.token,
  path: { organizationId: admin.organizationId, phoneNumber },
});
const change = (webhook: WebhookClient, body: Record<string, unknown>) =>
  product.call('update-phone-number', { ...ofNumber(webhook), body });
const ownerOf = async ({ phoneNumber }: WebhookClient) => {
  const owner = await identity.read(numberOwnerKey(phoneNumber));
  if (owner === undefined) {
    throw new Error('Nobody has the number');
  }
  return owner;
};

/** Stores what earlier versions stored: the secret itself. */
async function storePlain(webhook: WebhookClient, secret: string): Promise<void> {
  const owner = await ownerOf(webhook);
  await identity.commit([identity.replace(owner, { ...owner.data, secret })]);
}

test('The secret of a number is in the table only sealed, and still proves what its provider sends', async () => {
  const [first, second] = [newSecret(), newSecret()];
  const webhook = await newWebhookClient(product, admin, rep, { secret: first });
  expect(await textSigned(webhook, first)).toBe(200);
  expectStatus(await change(webhook, { secret: second }), 200);
  expect(await textSigned(webhook, second)).toBe(200);
  expect(await textSigned(webhook, first)).toBe(403);
  expectStatus(await product.call('remove-phone-number', ofNumber(webhook)), 200);
  const stored = await table();
  expect(stored).toContain(webhook.phoneNumber);
  expect(stored).not.toContain(first);
  expect(stored).not.toContain(second);
});

test('The secret of a number that is sent again changes nothing', async () => {
  const secret = newSecret();
  const webhook = await newWebhookClient(product, admin, rep, { secret });
  const before = await ownerOf(webhook);
  expect((await change(webhook, { secret })).body.message).toBe('No changes');
  expect(await ownerOf(webhook)).toEqual(before);
});

test('A secret from before secrets were sealed goes on to count, and is sealed with the next change', async () => {
  const secret = newSecret();
  const webhook = await newWebhookClient(product, admin, rep, { secret: newSecret() });
  await storePlain(webhook, secret);
  expect(await textSigned(webhook, secret)).toBe(200);
  expect((await change(webhook, { secret })).body.message).toBe('No changes');
  expectStatus(await change(webhook, { label: 'Desk' }), 200);
  expect(await table()).not.toContain(secret);
  expect(await textSigned(webhook, secret)).toBe(200);
  expect(await textSigned(webhook, newSecret())).toBe(403);

  const pending = await newWebhookClient(product, admin, rep);
  await storePlain(pending, secret);
  const approval = { ...ofNumber(pending), token: superadmin.token, body: { secret: newSecret() } };
  expectStatus(await product.call('approve-phone-number', approval), 200);
  expect(await table()).not.toContain(secret);
});

test('The sealed secret of one number proves nothing in the record of another', async () => {
  const secret = newSecret();
  const webhook = await newWebhookClient(product, admin, rep, { secret });
  const other = await newWebhookClient(product, admin, rep, { secret: newSecret() });
  const [copied, target] = [await ownerOf(webhook), await ownerOf(other)];
  const owner = { ...target.data, ...(copied.data.secret && { secret: copied.data.secret }) };
  await identity.commit([identity.replace(target, owner)]);
  const { deferredRequests } = product.queues;
  deferredRequests.take();
  const error = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await textSigned(other, secret, 'Is this genuine?');
  error.mockRestore();
  // It could not be checked, so it was deferred to be tried again; nothing was stored.
  expect(deferredRequests.take()).toHaveLength(1);
  expect(await table()).not.toContain('Is this genuine?');
});

test('The secret of an outreach configuration is in the table only sealed, and one from before counts until it is', async () => {
  const leads = leadsClient(product, admin);
  const own = newWebhookSecret(randomBytes);
  const made = (await leads.configure({ secret: true })).secret ?? '';
  const { _id } = await leads.configure({ secret: own });
  expect((await leads.change(_id, { secret: own })).body.message).toBe('No changes');
  const stored = await table();
  for (const secret of [own, made]) {
    expect(secret).toMatch(/^whsec_/);
    expect(stored).not.toContain(secret.slice('whsec_'.length));
  }

  const organization = product.tableOf(admin.organizationId).table;
  const former = newWebhookSecret(randomBytes);
  const configuration = await organization.read(configurationKey(_id));
  if (configuration === undefined) {
    throw new Error('There is no configuration');
  }
  await organization.commit([organization.replace(configuration, { ...configuration.data, secret: former })]);
  expect((await leads.send(_id)).status).toBe(401);
  expectStatus(await leads.change(_id, { name: 'Renamed' }), 200);
  expect(await table()).not.toContain(former.slice('whsec_'.length));
  expect((await leads.send(_id)).status).toBe(401);
});

const place: SecretLocation = { organizationId: admin.organizationId, record: ['FACTOR', rep.userId] };

test('A secret is opened with its own key, organization and record alone, and never the same twice when sealed', async () => {
  const [key, another] = [randomBytes(32), randomBytes(32)];
  const secrets = secretSealer(async () => key);
  const sealed = await secrets.seal('JBSWY3DPEHPK3PXP', place);
  expect(await secrets.open(sealed, place)).toBe('JBSWY3DPEHPK3PXP');
  expect(await secrets.seal('JBSWY3DPEHPK3PXP', place)).not.toEqual(sealed);
  for (const opening of [
    secrets.open(sealed, { ...place, organizationId: foreignAdmin.organizationId }),
    secrets.open(sealed, { ...place, record: ['FACTOR', admin.userId] }),
    secrets.open({ sealed: 'AAAA' }, place),
    secretSealer(async () => another).open(sealed, place),
  ]) {
    await expect(opening).rejects.toThrow('sealed with another key or for another record');
  }
});

const arn = 'arn:aws:secretsmanager:eu-central-1:000000000000:secret:sealing-AbCdEf';
afterAll(() => vi.unstubAllEnvs());

test('A process reads the key once, and another process opens what it has sealed', async () => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const server = await startSecrets({ arns: [arn], credentials });
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.endpoint);
  const environment = { SEALING_SECRET_ARN: arn };
  const [one, other] = [provideSecretSealer(environment), provideSecretSealer(environment)];
  const sealed = await one().seal('secret', place);
  expect(await other().open(sealed, place)).toBe('secret');
  await server.stop();
  expect(await one().open(sealed, place)).toBe('secret');
});

test('While the key cannot be read, the response is a 503, and the next request reads it', async () => {
  const manager = mockClient(SecretsManagerClient);
  const throttled = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
  manager.rejects(throttled);
  const secrets = provideSecretSealer({ SEALING_SECRET_ARN: arn });
  await expect(secrets().seal('secret', place)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  manager.resolves({ SecretString: 'text' });
  const before = manager.calls().length;
  const sealed = await secrets().seal('secret', place);
  expect(await secrets().open(sealed, place)).toBe('secret');
  expect(manager.calls()).toHaveLength(before + 1);
  manager.restore();
});
