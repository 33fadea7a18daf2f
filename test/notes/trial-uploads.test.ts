import { expect, test } from 'vitest';
import { formBytesKey } from '../../functions/notes/model/upload-forms.ts';
import { day, after as later } from '../../shared/kernel/time.ts';
import { trialBytesKey } from '../../shared/notes/attached-bytes.ts';
import { trialPolicies } from '../../shared/organizations/trial-policy.ts';
import type { ApiResponse } from '../harness/call.ts';
import { setUpProduct } from '../harness/fixtures.ts';
import { type Person, password } from '../harness/product.ts';
import { arrange, countStatuses, failure, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { offer, prepare, preparedFile, sendForm, uploadedFile } from './uploads-client.ts';

// What an organization may upload, and attach, where the trial policy is strict: 1 GB in all until a SUPERADMIN approves it.

const product = await setUpProduct();
product.providers.trialPolicy = () => trialPolicies.approved;
const superadmin = await product.newSuperadmin();

const megabyte = 1024 ** 2;
const files = (count: number, megabytes: number) =>
  Array(count).fill({ ...offer, size: megabytes * megabyte });

const approve = (organizationId: string, approved: boolean | null, { token }: Person = superadmin) =>
  product.call('update-text-settings', { token, path: { organizationId }, body: { approved } });

const usedUp = failure(
  403,
  'Until a SUPERADMIN approves your organization, it may upload 1 GB of files in all, and these files are more than what is left. Ask the operator of this service to approve it.',
);

const lengthsOf = async (response: ApiResponse) =>
  response.body.files.map(({ upload }: { upload: { fields: Record<string, string> } }) => {
    const { conditions } = JSON.parse(Buffer.from(upload.fields.Policy ?? '', 'base64').toString());
    return conditions
      .find((condition: unknown) => Array.isArray(condition) && condition[0] === 'content-length-range')
      .slice(1);
  });

test('An organization on trial gets upload forms for 1 GB, to the byte, whether or not the files are uploaded, and however many ask at once', async () => {
  const admin = await product.newOrganization();
  const colleague = await product.newColleague(admin);
  const responses = await Promise.all(
    Array.from({ length: 16 }, (_, index) => prepare(product, index % 2 ? admin : colleague, files(10, 25))),
  );
  expect(countStatuses(responses)).toEqual({ 200: 4, 403: 12 });
  expect(outcome(await prepare(product, colleague, files(1, 25)))).toEqual(usedUp);
  expect((await prepare(product, colleague, files(1, 24))).status).toBe(200);
  expect(outcome(await prepare(product, admin, [{ ...offer, size: 1 }]))).toEqual(usedUp);
  const at = later(new Date(), 2 * day);
  const { body } = await product.call('login', { body: { email: admin.email, password }, at });
  const dayAfterTomorrow = await prepare(
    product,
    { ...admin, token: body.token },
    [{ ...offer, size: 1 }],
    at,
  );
  expect(outcome(dayAfterTomorrow)).toEqual(usedUp);
  // Each organization has its own.
  expect((await prepare(product, await product.newOrganization(), files(1, 25))).status).toBe(200);
});

test('The forms of an organization on trial take no more bytes than were counted', async () => {
  const admin = await product.newOrganization();
  expect(await lengthsOf(await prepare(product, admin, [offer, ...files(1, 2)]))).toEqual([
    [1, offer.size],
    [1, 2 * megabyte],
  ]);
  const file = await preparedFile(product, admin);
  expect((await sendForm(file, 'x'.repeat(offer.size + 1))).status).toBe(400);
  expect((await sendForm(file, 'x'.repeat(offer.size))).status).toBe(204);
});

test('An organization that a SUPERADMIN approves may upload more than 1 GB, until the approval is taken back', async () => {
  const admin = await product.newOrganization();
  const { organizationId } = admin;
  for (let count = 0; count < 4; count += 1) {
    expect((await prepare(product, admin, files(10, 25))).status).toBe(200);
  }
  expect((await prepare(product, admin, files(10, 25))).status).toBe(403);
  expect((await approve(organizationId, true, admin)).status).toBe(403);
  expect((await arrange(approve(organizationId, true))).data).toMatchObject({ approved: true });
  const response = await prepare(product, admin, files(10, 25));
  expect(response.status).toBe(200);
  expect(await lengthsOf(response)).toEqual(Array(10).fill([1, 25 * megabyte]));
  expect((await arrange(approve(organizationId, null))).data).toMatchObject({ approved: false });
  expect((await prepare(product, admin, files(10, 25))).status).toBe(403);
});

test('An approved organization gets forms for 100 GB a day, each for the 25 MB that it takes', async () => {
  const admin = await product.newOrganization();
  await arrange(approve(admin.organizationId, true));
  const at = new Date('2026-11-20T10:00:00.000Z');
  const { table } = product.tableOf(admin.organizationId);
  await table.update(formBytesKey('2026-11-20'), {
    update: 'SET used = :bytes',
    values: { bytes: 100 * 1024 ** 3 - 30 * megabyte },
  });
  expect((await prepare(product, admin, [offer], at)).status).toBe(200);
  const refused = await prepare(product, admin, [offer], at);
  expect(outcome(refused)).toEqual(
    failure(
      429,
      'Your organization may upload 100 GB of files a day, of which each form counts 25 MB, and these files are more than what is left. Upload them after midnight UTC.',
    ),
  );
  expect(refused.headers['retry-after']).toBe('50400');
  expect((await prepare(product, admin, [offer], later(at, day))).status).toBe(200);
});

test('Where the trial policy is open, each organization may upload more than 1 GB', async () => {
  const admin = await product.newOrganization();
  product.providers.trialPolicy = () => trialPolicies.open;
  for (let count = 0; count < 5; count += 1) {
    expect((await prepare(product, admin, files(10, 25))).status).toBe(200);
  }
  product.providers.trialPolicy = () => trialPolicies.approved;
});

/** An organization with a contact and a file of 5 bytes, which is on trial and may attach 12 bytes more. */
async function nearlyFull() {
  const { token, organizationId, ...admin } = await product.newOrganization();
  await arrange(
    product.call('update-text-settings', {
      token: superadmin.token,
      path: { organizationId },
      body: { standardSender: true },
    }),
  );
  const { data: contact } = await arrange(
    product.call('create-contact', {
      token,
      body: { firstName: 'Ada', phoneNumbers: [{ value: newPhoneNumber() }] },
    }),
  );
  const { key, name } = await uploadedFile(product, { ...admin, token, organizationId }, 'hello');
  const { table } = product.tableOf(organizationId);
  await table.update(trialBytesKey(), {
    update: 'SET used = :bytes',
    values: { bytes: 1024 ** 3 - 12 },
  });
  const attach = (operation: 'create-note' | 'send-message') =>
    product.call(operation, { token, body: { contactId: contact._id, attachments: [{ key, name }] } });
  return { organizationId, note: () => attach('create-note'), message: () => attach('send-message') };
}

test('An organization on trial attaches 1 GB in all, however often it attaches the same file, and however many ask at once', async () => {
  const { note, message } = await nearlyFull();
  const responses = await Promise.all([note(), note(), message(), message()]);
  expect(countStatuses(responses)).toEqual({ 201: 2, 403: 2 });
  const before = (await product.objects.contents()).length;
  for (const refused of [await note(), await message()]) {
    expect([refused.status, refused.body.message]).toEqual([403, usedUp.body.message]);
  }
  expect((await product.objects.contents()).length).toBe(before);
});

test('An organization that a SUPERADMIN approves may attach more than 1 GB, until the approval is taken back', async () => {
  const { organizationId, note, message } = await nearlyFull();
  await arrange(approve(organizationId, true));
  for (const attach of [note, note, note, message]) {
    expect((await attach()).status).toBe(201);
  }
  await arrange(approve(organizationId, null));
  expect(countStatuses([await note(), await note(), await note()])).toEqual({ 201: 2, 403: 1 });
});

test('Where the trial policy is open, what an organization attaches counts only for the day', async () => {
  const { note } = await nearlyFull();
  product.providers.trialPolicy = () => trialPolicies.open;
  expect(countStatuses([await note(), await note(), await note()])).toEqual({ 201: 3 });
  product.providers.trialPolicy = () => trialPolicies.approved;
});
