import { expect, test } from 'vitest';
import { setUpTenants } from '../harness/fixtures.ts';
import type { Person } from '../harness/product.ts';
import { expectStatus, outcome } from '../harness/tenants.ts';
import { preparedFile, uploadedFile } from '../notes/uploads-client.ts';

const { product, admin, rep, foreignAdmin } = await setUpTenants();
const csv = { name: 'contacts.csv', type: 'text/csv', size: 100 };

const upload = async (person: Person, content: string | Uint8Array<ArrayBuffer>): Promise<string> =>
  (await uploadedFile(product, person, content, csv)).key;

const preview = ({ token }: Person, key: string) => product.call('import-contacts', { token, body: { key } });

test('The preview of a file shows its first three rows, and what an import would make of them', async () => {
  const rows = ['Vorname;Mobil;Ort', 'Ada;+49 30 1;Köln', '', 'Emmy;;"a;b"', 'Sofya;;', 'Mary;;x'];
  const key = await upload(rep, Buffer.from(`\ufeff${rows.join('\r\n')}`, 'utf16le'));
  expect(expectStatus(await preview(rep, key), 200)).toEqual({
    success: true,
    data: {
      columns: ['Vorname', 'Mobil', 'Ort'],
      rows: [
        ['Ada', '+49 30 1', 'Köln'],
        ['Emmy', '', 'a;b'],
        ['Sofya', '', ''],
      ],
      mapping: { Vorname: 'firstName', Mobil: 'phone', Ort: null },
      ...{ encoding: 'UTF-16', separator: ';', total: 4 },
    },
  });
});

test('A preview says that bytes were read as Windows-1252, and cuts long cells', async () => {
  const long = 'é'.repeat(600);
  const key = await upload(admin, Buffer.from(`Name,Note\nJosé,${long}\n`, 'latin1'));
  const { data } = expectStatus(await preview(admin, key), 200);
  expect(data).toMatchObject({ encoding: 'Windows-1252', rows: [['José', long.slice(0, 500)]] });
});

test('Nobody reads the upload of another organization, nor one that was never sent', async () => {
  const key = await upload(rep, 'Name\nAda\n');
  const { key: unsent } = await preparedFile(product, rep, csv);
  const refused = [
    await preview(foreignAdmin, key),
    ...[await preview(rep, unsent), await preview(rep, `${key}/x`), await preview(rep, 'files/x')],
  ];
  expect(refused.map(outcome)).toEqual(
    refused.map(() => ({
      status: 404,
      body: { error: 'Not found', message: 'key is not the key of a file uploaded in this organization' },
    })),
  );
});

test('A workbook is refused with what to do', async () => {
  const key = await upload(rep, Buffer.from('PK\u0003\u0004\0\0\0\0'));
  expect(outcome(await preview(rep, key))).toEqual({
    status: 400,
    body: {
      error: 'Invalid request',
      message: 'key names a file that is no text. Save the table as CSV and upload that file.',
    },
  });
});
