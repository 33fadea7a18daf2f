import { expect, test } from 'vitest';
import { contactsClient } from '../contacts/client.ts';
import { readEvents } from '../harness/events.ts';
import { setUpTenants } from '../harness/fixtures.ts';
import { arrange, expectStatus, newPhoneNumber } from '../harness/tenants.ts';
import { counts } from '../jobs/jobs-client.ts';
import { csv, importsClient } from './imports-client.ts';

const { product, admin, rep, otherRep } = await setUpTenants();
const { imported, end } = importsClient(product);
const contacts = contactsClient(product, admin);
const contact = async (id = '') => expectStatus(await contacts.read(id), 200).data;

const mapping = { Name: 'fullName', Mail: 'email', Phone: 'phone', Id: 'externalId' };

let last = 0;
const newMail = () => `person${++last}@example.com`;

test('The rows of a file become contacts of whoever imports it, and each row has a result', async () => {
  const [mail, phone] = [newMail(), newPhoneNumber()];
  const job = await imported(
    rep,
    csv(
      ['Name', 'Mail', 'Phone', 'Stage', 'Tags', 'Since', 'Size', 'Id'],
      ['Ada Lovelace', mail, phone, 'contacted', 'vip|math', '4.3.2026', '38', 'A-1'],
      ['', '', '', '', '', '', '', ''],
      ['Emmy Noether', 'no address', '', '', '', '', '', ''],
      ['Plato', '', '', '', '', '', '', ''],
    ),
    {
      mapping: {
        ...mapping,
        ...{ Stage: 'stage', Tags: 'tags', Since: 'createdAt', Size: 'customFields.size' },
      },
      ...{ dateFormat: 'DD.MM.YYYY', tags: ['fair'] },
    },
  );
  expect(job).toMatchObject({
    ...{ type: 'import', status: 'done', counts: counts({ total: 3, created: 2, failed: 1 }) },
    result: { withoutKey: 1 },
  });
  const [first, second, third] = job.rows;
  expect([first, second, third]).toMatchObject([
    { row: 2, status: 'created' },
    { row: 4, status: 'failed', reason: 'Column "Mail" must be an email address of at most 254 characters' },
    { row: 5, status: 'created', reason: 'withoutKey' },
  ]);
  expect(await contact(first?.contactId)).toMatchObject({
    ...{
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: mail,
      phoneNumbers: [{ value: phone, isPrimary: true }],
    },
    ...{ stage: 'Contacted', tags: ['vip', 'math', 'fair'], customFields: { size: '38' }, externalId: 'A-1' },
    ...{
      createdAt: '2026-03-04T00:00:00.000Z',
      isBulkImport: true,
      owner: rep.userId,
      createdBy: rep.userId,
    },
  });
});

test('A row whose contact is there is skipped, updates it or fails, as the import says', async () => {
  const mail = newMail();
  const known = await contacts.created({ firstName: 'Ada', email: mail, tags: ['old'] });
  const file = csv(['Name', 'Mail', 'Tags'], ['Augusta King', mail.toUpperCase(), 'new']);
  const rules = { mapping: { ...mapping, Tags: 'tags', Phone: undefined, Id: undefined }, match: 'email' };
  const run = async (onDuplicate: string) => {
    const { Phone: _, Id: __, ...columns } = rules.mapping;
    const { counts: of, rows } = await imported(admin, file, { ...rules, mapping: columns, onDuplicate });
    return [of, rows[0]];
  };
  const result = { row: 2, contactId: known._id };
  expect(await run('skip')).toEqual([
    counts({ total: 1, skipped: 1 }),
    { ...result, status: 'skipped', reason: 'duplicate' },
  ]);
  expect(await run('fail')).toEqual([
    counts({ total: 1, failed: 1 }),
    { ...result, status: 'failed', reason: 'duplicate' },
  ]);
  expect(await contact(known._id)).toEqual(known);
  expect(await run('update')).toEqual([counts({ total: 1, updated: 1 }), { ...result, status: 'updated' }]);
  expect(await contact(known._id)).toMatchObject({
    ...{ firstName: 'Augusta', lastName: 'King', tags: ['old', 'new'], isBulkImport: false },
  });
  expect(await run('update')).toEqual([
    counts({ total: 1, skipped: 1 }),
    { ...result, status: 'skipped', reason: 'unchanged' },
  ]);
});

test('A row without the field that should match is matched by its id, its address or its number', async () => {
  const [mail, phone, id] = [newMail(), newPhoneNumber(), `id-${++last}`];
  const byMail = await contacts.created({ firstName: 'Mail', email: mail });
  const byPhone = await contacts.created({ firstName: 'Phone', phoneNumbers: [{ value: phone }] });
  const byId = await contacts.created({ firstName: 'Id', externalId: id });
  const { rows, result } = await imported(
    admin,
    csv(
      ['Name', 'Mail', 'Phone', 'Id'],
      ...[
        ['A', mail, '', ''],
        ['B', '', phone, ''],
        ['C', newMail(), '', id],
        ['D', '', '', ''],
      ],
    ),
    { mapping, match: 'phone', onDuplicate: 'update' },
  );
  expect(rows.map(({ contactId }) => contactId)).toEqual([
    ...[byMail._id, byPhone._id, byId._id, expect.any(String)],
  ]);
  expect(result).toEqual({ withoutKey: 1 });
});

test('Of rows about the same contact the last one counts', async () => {
  const mail = newMail();
  const lines = Array.from({ length: 12 }, (_, index) => [`Version ${index}`, mail, '', '']);
  const { counts: of, rows } = await imported(admin, csv(['Name', 'Mail', 'Phone', 'Id'], ...lines), {
    mapping,
    match: 'email',
    onDuplicate: 'update',
  });
  expect(of).toEqual(counts({ total: 12, created: 1, updated: 11 }));
  expect(await contact(rows[0]?.contactId)).toMatchObject({ fullName: 'Version 11' });
});

test('The word that clears empties fields and lists of a contact; a note is added to each', async () => {
  const mail = newMail();
  const known = await contacts.created({
    ...{ firstName: 'Ada', email: mail, phoneNumbers: [{ value: newPhoneNumber() }], tags: ['old'] },
    ...{ source: 'Fair', customFields: { a: 1, b: 2 } },
  });
  const { rows } = await imported(
    admin,
    csv(
      ['Mail', 'Phone', 'Tags', 'Source', 'A', 'B', 'Owner', 'Note'],
      [mail, '-', '-', '-', '-', '', '-', 'Met at the fair'],
    ),
    {
      mapping: {
        ...{ Mail: 'email', Phone: 'phone', Tags: 'tags', Source: 'source', Owner: 'owner', Note: 'note' },
        ...{ A: 'customFields.a', B: 'customFields.b' },
      },
      ...{ match: 'email', onDuplicate: 'update', clearWith: '-' },
    },
  );
  expect(rows).toEqual([{ row: 2, contactId: known._id, status: 'updated' }]);
  expect(await contact(known._id)).toMatchObject({
    ...{ phoneNumbers: [], tags: [], source: null, customFields: { b: 2 }, owner: null, email: mail },
  });
  const notes = await product.call('list-notes', { token: admin.token, query: { contactId: known._id } });
  expect(expectStatus(notes, 200).data).toMatchObject([
    { note: 'Met at the fair', userId: { _id: admin.userId } },
  ]);
});

test('A dry run changes nothing, and says the same', async () => {
  const mail = newMail();
  const known = await contacts.created({ firstName: 'Ada', email: mail });
  const file = csv(['Name', 'Mail'], ['Augusta', mail], ['George', newMail()], ['Mary', 'x']);
  const rules = { mapping: { Name: 'fullName', Mail: 'email' }, onDuplicate: 'update' };
  const tried = await imported(admin, file, { ...rules, dryRun: true });
  expect(tried.counts).toEqual(counts({ total: 3, created: 1, updated: 1, failed: 1 }));
  expect(await contact(known._id)).toEqual(known);
  expect((await imported(admin, file, rules)).counts).toEqual(tried.counts);
});

test('An import has the rights of whoever began it', async () => {
  const mail = newMail();
  await arrange(contactsClient(product, otherRep).create({ firstName: 'Theirs', email: mail }));
  const { rows } = await imported(rep, csv(['Name', 'Mail'], ['Mine', mail]), {
    ...{ mapping: { Name: 'fullName', Mail: 'email' }, onDuplicate: 'update' },
  });
  expect(rows).toEqual([
    {
      row: 2,
      status: 'failed',
      reason: 'Another contact of this organization already has this email address.',
    },
  ]);
});

test('An import is reverted: what it created goes, what it changed is as before, and what somebody touched stays', async () => {
  const mail = newMail();
  const known = await contacts.created({ firstName: 'Ada', email: mail, tags: ['old'] });
  const file = csv(
    ['Name', 'Mail', 'Tags', 'Note'],
    ...[
      ['Augusta', mail, 'new', ''],
      ['George', newMail(), '', 'Met'],
      ['Mary', newMail(), '', ''],
    ],
  );
  const job = await imported(admin, file, {
    mapping: { Name: 'fullName', Mail: 'email', Tags: 'tags', Note: 'note' },
    onDuplicate: 'update',
  });
  expect(job.counts).toEqual(counts({ total: 3, created: 2, updated: 1 }));
  const [, noted, touched] = job.rows;
  await arrange(contacts.update(touched?.contactId ?? '', { lastName: 'Somerville' }));
  const request = { token: admin.token, path: { id: job._id } };
  expectStatus(await product.call('revert-job', request), 202);
  const reverted = await end(admin, job);
  expect(reverted).toMatchObject({
    status: 'reverted',
    result: { deleted: 1, restored: 1, kept: [{ contactId: touched?.contactId }] },
  });
  const { updatedAt: _, ...before } = known;
  expect(await contact(known._id)).toMatchObject(before);
  expect((await contacts.read(noted?.contactId ?? '')).status).toBe(404);
  expect(await contact(touched?.contactId)).toMatchObject({ fullName: 'Mary Somerville' });
});

test('Workflows start for the contacts of an import only where it says so', async () => {
  const created = async (more: object) => {
    const { rows } = await imported(admin, csv(['Mail'], [newMail()]), {
      mapping: { Mail: 'email' },
      ...more,
    });
    const events = await readEvents(product, admin.organizationId);
    return events.find(
      ({ event, data }) => event === 'contact_created' && data.contactId === rows[0]?.contactId,
    );
  };
  expect(await created({})).toMatchObject({ startsNoRuns: true });
  expect(await created({ startWorkflows: true })).not.toHaveProperty('startsNoRuns');
});
