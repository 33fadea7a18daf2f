import { expect, test } from 'vitest';
import { guarded } from '../../functions/imports/model/export-cells.ts';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { arrange, expectStatus, newPhoneNumber, outcome } from '../harness/tenants.ts';
import { uploadedFile } from '../notes/uploads-client.ts';
import { importsClient } from './imports-client.ts';

const tenants = await setUpTenants();
const { product, admin, rep, otherRep, head } = tenants;
const { imported, end } = importsClient(product);

const begin = ({ token }: Person, body: Record<string, unknown>) =>
  product.call('export-contacts', { token, body });

/** Exports; the file as somebody downloads it. */
async function exported(person: Person, body: Record<string, unknown>): Promise<string> {
  const job = await end(person, expectStatus(await begin(person, body), 202).data);
  expect(job).toMatchObject({ type: 'export', status: 'done' });
  const file = await fetch(String(job.result?.url));
  expect(file.status).toBe(200);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await file.arrayBuffer());
}

const awkward = {
  firstName: '=SUM(A1)',
  lastName: '\'t Hooft, "Gerard"',
  email: 'gerard@example.com',
  phoneNumbers: [
    { value: '+13035550181', label: 'mobile', isPrimary: true },
    { value: '+442079460958', label: '', isPrimary: false, extension: '12' },
  ],
  source: '@home',
  tags: ['a|b', 'back\\slash', '-dash'],
  externalId: '+1',
  customFields: {
    text: '02139',
    formula: "'=1",
    lines: 'one\r\ntwo;"three"',
    blank: '  ',
    word: 'true',
    yes: true,
    list: [1, 'x', { deep: [null] }],
    'a key; with "signs"': -1.5,
    [`long ${'x'.repeat(195)}`]: 'name',
  },
};

/** What an import brings in again. */
const fields = [
  ...['firstName', 'lastName', 'email', 'phone', 'source', 'stage', 'tags', 'externalId', 'createdAt'],
  'customFields',
];

test('A file that was exported comes in again, into an empty organization, as the contacts were', async () => {
  const [from, into] = [await product.newOrganization(), await product.newOrganization()];
  const contacts = contactsClient(product, from);
  await arrange(contacts.create(awkward));
  const exact = '{"firstName": "Exact", "customFields": {"digits": 120210000000000123.4500}}';
  await arrange(product.call('create-contact', { token: from.token, body: exact }));
  const numbers = [{ value: newPhoneNumber() }];
  await arrange(contacts.create({ lastName: 'Plain', stage: 'Contacted', phoneNumbers: numbers }));

  const file = await exported(from, { filter: {}, format: 'csv' });
  const upload = { name: 'contacts.csv', type: 'text/csv', size: 100 };
  const { key } = await uploadedFile(product, into, file, upload);
  const { token } = into;
  const { data: preview } = expectStatus(
    await product.call('import-contacts', { token, body: { key } }),
    200,
  );
  // Nobody of the one organization is a user of the other one.
  const job = await imported(into, file, { mapping: { ...preview.mapping, owner: null } });
  expect(job.counts).toMatchObject({ total: 3, created: 3 });

  const all = (person: Person) => exported(person, { filter: {}, format: 'json', fields });
  expect(await all(into)).toBe(await all(from));
  expect(await all(from)).toContain('120210000000000123.4500');
});

test('A file for spreadsheets begins with a byte order mark, and no cell of it is a formula', async () => {
  const own = await product.newOrganization();
  await arrange(contactsClient(product, own).create(awkward));
  const file = await exported(own, {
    ...{ filter: { search: 'gerard' }, format: 'csv' },
    fields: ['firstName', 'lastName', 'phone', 'source', 'tags', 'externalId', 'owner'],
  });
  expect(file.split('\r\n')).toEqual([
    '\ufefffirstName,lastName,phone,phoneLabel,phone 2,phoneLabel 2,source,tags,externalId,owner',
    [
      '\'=SUM(A1),"\'\'t Hooft, ""Gerard""",+13035550181,mobile,\'+442079460958 ext. 12,,\'@home',
      `a\\|b|back\\\\slash|-dash,+1,${own.email}`,
    ].join(),
    '',
  ]);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1 303', "'+1 303"],
  ['-dash', "'-dash"],
  ['@home', "'@home"],
  ['\ttab', "'\ttab"],
  ['\rreturn', "'\rreturn"],
  ["'quoted", "''quoted"],
  ['+13035550181', '+13035550181'],
  ['-12.5', '-12.5'],
  ['+1e5', '+1e5'],
  ['plain', 'plain'],
])('The text %j is the cell %j', (text, cell) => {
  expect(guarded(text)).toBe(cell);
});

test('An export has the contacts that its creator sees, and those of the filter alone', async () => {
  const [mine, theirs] = [newPhoneNumber(), newPhoneNumber()];
  await arrange(contactsClient(product, rep).create({ firstName: 'Mine', phoneNumbers: [{ value: mine }] }));
  await arrange(
    contactsClient(product, otherRep).create({ firstName: 'Theirs', phoneNumbers: [{ value: theirs }] }),
  );
  const file = await exported(head, { filter: {}, format: 'csv', fields: ['phone'] });
  expect([file.includes(mine), file.includes(theirs)]).toEqual([true, false]);
  const found = await exported(admin, { filter: { search: theirs }, format: 'csv', fields: ['phone'] });
  expect([found.includes(mine), found.includes(theirs)]).toEqual([false, true]);
});

test('A SALES_REP may export where the organization allows it', async () => {
  const refused = outcome(await begin(rep, { filter: {}, format: 'json' }));
  expect(refused).toEqual({
    status: 403,
    body: {
      error: 'Forbidden',
      message: 'Only a DEPARTMENT_HEAD or higher may export contacts. Ask an ADMIN to allow it to everybody.',
    },
  });
  const allow = (repsMayExport: boolean) =>
    arrange(
      product.call('update-organization', {
        ...{ token: admin.token, path: { organizationId: admin.organizationId }, body: { repsMayExport } },
      }),
    );
  expect((await allow(true)).data.repsMayExport).toBe(true);
  expect(JSON.parse(await exported(rep, { filter: {}, format: 'json', fields: ['_id'] }))).toEqual(
    expect.arrayContaining([{ _id: expect.any(String) }]),
  );
  await allow(false);
  expect((await begin(rep, { filter: {}, format: 'json' })).status).toBe(403);
});

test('Whoever may no longer export when the job runs gets no file', async () => {
  const former = await product.newColleague(admin, 'DEPARTMENT_HEAD');
  const queued = expectStatus(await begin(former, { filter: {}, format: 'csv' }), 202).data;
  const request = { path: { id: former.userId }, body: { accessRole: 'SALES_REP' } };
  await arrange(product.call('update-user', { token: admin.token, ...request }));
  const job = await end(admin, queued);
  expect(job).toMatchObject({ status: 'failed', counts: { created: 0, updated: 0 } });
  expect(job.result ?? {}).not.toHaveProperty('url');
});

test('The log and the administrators learn of an export as it begins', async () => {
  const { data } = expectStatus(await begin(head, { filter: {}, format: 'csv' }), 202);
  const event = (await readEvents(product, admin.organizationId)).findLast(
    ({ event: name }) => name === 'contacts_exported',
  );
  expect(event).toMatchObject({ data: { jobId: data._id, format: 'csv' }, actor: { id: head.userId } });
  const told = event?.audience.kind === 'users' ? event.audience.userIds : [];
  expect([told.includes(admin.userId), told.includes(head.userId)]).toEqual([true, false]);
  const query = { event: 'export_started' };
  const logs = expectStatus(await product.call('list-event-logs', { token: admin.token, query }), 200).data;
  expect(logs).toMatchObject([{ entity: { type: 'job', id: data._id } }, ...logs.slice(1)]);
});
